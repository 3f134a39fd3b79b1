// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/symmetry.hpp"

namespace conccl::c3 {
namespace {

struct Place {
  const plan::Lane& lane;
  std::size_t step;
};

/// How far `to` is from `from`, around the ring of ranks.
int distance(int from, int to, int ranks) { return ((to - from) % ranks + ranks) % ranks; }

/// Whether the copy reads what the one before it reads.
bool repeats(const Place& place) {
  if (place.step == 0) return false;
  const auto& steps = place.lane.steps;
  const auto* const before = std::get_if<plan::Copy>(&steps[place.step - 1]);
  return before != nullptr && before->src == std::get<plan::Copy>(steps[place.step]).src;
}

bool copies_alike(const Place& on_0, const Place& on_rank, int rank, int ranks) {
  const auto& a = std::get<plan::Copy>(on_0.lane.steps[on_0.step]);
  const auto& b = std::get<plan::Copy>(on_rank.lane.steps[on_rank.step]);
  return a.bytes == b.bytes && repeats(on_0) == repeats(on_rank) &&
         distance(0, a.src.rank, ranks) == distance(rank, b.src.rank, ranks) &&
         distance(0, a.dst.rank, ranks) == distance(rank, b.dst.rank, ranks);
}

bool lanes_alike(const plan::Lane& a, const plan::Lane& b) {
  return a.engine == b.engine && a.share == b.share && a.priority == b.priority &&
         a.launch_rank == b.launch_rank && a.steps.size() == b.steps.size();
}

bool ranks_exist(const plan::Plan& plan) {
  return !plan.ranks.empty() && plan.ranks.size() == static_cast<std::size_t>(plan.request.ranks);
}

}  // namespace

RankSymmetry::RankSymmetry(const plan::Plan& plan)
    : ranks_(plan.request.ranks),
      flags_(plan.flags),
      on_rank_0_(plan.ranks.size() * static_cast<std::size_t>(plan.flags), kUnheard),
      of_rank_0_(on_rank_0_) {}

int RankSymmetry::on_rank_0(int rank, int flag) const {
  const auto row = static_cast<std::size_t>(rank) * static_cast<std::size_t>(flags_);
  return on_rank_0_[row + static_cast<std::size_t>(flag)];
}

/// The first wait for a flag says what it is on rank 0; all others must agree.
bool RankSymmetry::learn_wait(int rank, int flag_on_0, int flag) {
  const auto row = static_cast<std::size_t>(rank) * static_cast<std::size_t>(flags_);
  int& there = on_rank_0_[row + static_cast<std::size_t>(flag)];
  int& back = of_rank_0_[row + static_cast<std::size_t>(flag_on_0)];
  if (there == kUnheard && back == kUnheard) {
    there = flag_on_0;
    back = flag;
  }
  return there == flag_on_0 && back == flag;
}

bool RankSymmetry::learn(const plan::Plan& plan, int rank) {
  const auto& lanes = plan.ranks[static_cast<std::size_t>(rank)].lanes;
  const auto& model = plan.ranks.front().lanes;
  if (lanes.size() != model.size()) return false;
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    if (!lanes_alike(model[l], lanes[l])) return false;
    for (std::size_t s = 0; s < lanes[l].steps.size(); ++s) {
      const plan::Step& a = model[l].steps[s];
      const plan::Step& b = lanes[l].steps[s];
      if (a.index() != b.index()) return false;
      if (std::holds_alternative<plan::Copy>(a) &&
          !copies_alike({model[l], s}, {lanes[l], s}, rank, ranks_)) {
        return false;
      }
      const auto* const task = std::get_if<plan::Compute>(&a);
      if (task != nullptr && *task != std::get<plan::Compute>(b)) return false;
      const auto* const wait = std::get_if<plan::Wait>(&a);
      if (wait != nullptr && !learn_wait(rank, wait->flag, std::get<plan::Wait>(b).flag)) {
        return false;
      }
    }
  }
  return true;
}

bool RankSymmetry::signals_agree(const plan::Plan& plan, int rank) const {
  const auto& lanes = plan.ranks[static_cast<std::size_t>(rank)].lanes;
  const auto& model = plan.ranks.front().lanes;
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    for (std::size_t s = 0; s < lanes[l].steps.size(); ++s) {
      const auto* const a = std::get_if<plan::Signal>(&model[l].steps[s]);
      if (a == nullptr) continue;
      const auto& b = std::get<plan::Signal>(lanes[l].steps[s]);
      if (distance(0, a->rank, ranks_) != distance(rank, b.rank, ranks_)) return false;
      if (on_rank_0(a->rank, a->flag) != on_rank_0(b.rank, b.flag)) return false;
    }
  }
  return true;
}

std::optional<RankSymmetry> RankSymmetry::of(const plan::Plan& plan) {
  if (!ranks_exist(plan)) return std::nullopt;
  RankSymmetry found(plan);
  for (int rank = 0; rank < found.ranks_; ++rank) {
    if (!found.learn(plan, rank)) return std::nullopt;
  }
  for (int rank = 1; rank < found.ranks_; ++rank) {
    if (!found.signals_agree(plan, rank)) return std::nullopt;
  }
  return found;
}

}  // namespace conccl::c3
