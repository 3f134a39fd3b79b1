// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "program.hpp"

#include <array>

#include "conccl/plan/expectation.hpp"

namespace conccl::plan::oracle {
namespace {

constexpr std::array kBuffers{BufferKind::send, BufferKind::recv, BufferKind::scratch};

class Layout {
 public:
  explicit Layout(const Plan& plan) : plan_(plan) {
    rank_bytes_ = 0;
    for (const BufferKind buffer : kBuffers) rank_bytes_ += buffer_bytes(plan, buffer);
  }

  [[nodiscard]] Program run() {
    const auto ranks = static_cast<std::size_t>(plan_.request.ranks);
    if (plan_.ranks.size() != ranks) {
      program_.malformed = "not one list of lanes per rank";
      return std::move(program_);
    }
    program_.bytes = ranks * rank_bytes_;
    program_.raisers.resize(ranks * flags());
    program_.touching.resize(ranks);
    for (int rank = 0; rank < plan_.request.ranks; ++rank) add_rank(rank);
    connect();
    return std::move(program_);
  }

 private:
  [[nodiscard]] std::size_t flags() const { return static_cast<std::size_t>(plan_.flags); }

  [[nodiscard]] std::size_t address(int rank, BufferKind buffer, Bytes offset) const {
    std::size_t base = static_cast<std::size_t>(rank) * rank_bytes_;
    for (const BufferKind before : kBuffers) {
      if (before == buffer) break;
      base += buffer_bytes(plan_, before);
    }
    return base + offset;
  }

  [[nodiscard]] bool is_rank(int rank) const { return rank >= 0 && rank < plan_.request.ranks; }

  void refuse(const std::string& text, std::string_view why) {
    if (program_.malformed.empty()) program_.malformed = text + ": " + std::string(why);
  }

  [[nodiscard]] Span span_of(const Ref& ref, Bytes bytes, const std::string& text) {
    const Bytes size = buffer_bytes(plan_, ref.buffer);
    if (!is_rank(ref.rank)) {
      refuse(text, "no such rank");
    } else if (ref.offset > size || bytes > size - ref.offset) {
      refuse(text, "beyond its buffer");
    } else {
      const auto begin = address(ref.rank, ref.buffer, ref.offset);
      return {begin, begin + bytes};
    }
    return {};
  }

  [[nodiscard]] std::size_t flag_of(int rank, int flag, const std::string& text) {
    if (is_rank(rank) && flag >= 0 && flag < plan_.flags) {
      return static_cast<std::size_t>(rank) * flags() + static_cast<std::size_t>(flag);
    }
    refuse(text, "no such flag");
    return kNone;
  }

  void fill(Action& action, const Copy& copy) {
    action.is_copy = true;
    action.read = span_of(copy.src, copy.bytes, action.text);
    action.write = span_of(copy.dst, copy.bytes, action.text);
    if (copy.src.rank != action.rank && copy.dst.rank != action.rank) {
      refuse(action.text, "neither end is local");
    }
    if (!program_.malformed.empty() || copy.bytes == 0) return;
    action.touches = {copy.src.rank};
    if (copy.dst.rank != copy.src.rank) action.touches.push_back(copy.dst.rank);
  }
  void fill(Action& action, const Signal& signal) {
    action.raises = flag_of(signal.rank, signal.flag, action.text);
  }
  void fill(Action& action, const Wait& wait) {
    action.awaits = flag_of(action.rank, wait.flag, action.text);
  }
  void fill(Action& action, const Compute& compute) {
    const auto tasks = static_cast<int>(plan_.tasks.size());
    if (compute.task < 0 || compute.task >= tasks) refuse(action.text, "no such task");
  }

  void add_lane(int rank, const Lane& lane) {
    auto& actions = program_.actions;
    const std::size_t begin = actions.size();
    for (std::size_t step = 0; step < lane.steps.size(); ++step) {
      Action action;
      action.rank = rank;
      action.lane_begin = begin;
      action.text = "rank " + std::to_string(rank) + " lane " + lane.label + " step " +
                    std::to_string(step) + " (" + to_string(plan_, rank, lane.steps[step]) + ")";
      std::visit([&](const auto& what) { fill(action, what); }, lane.steps[step]);
      // Neighbouring copies wait for the same fence, not for one another.
      const bool joins = action.is_copy && step > 0 && actions.back().is_copy;
      action.after = joins ? actions.back().after : actions.size();
      actions.push_back(std::move(action));
    }
    program_.lanes.back().push_back({begin, actions.size()});
  }

  void add_rank(int rank) {
    program_.lanes.emplace_back();
    for (const Lane& lane : plan_.ranks[static_cast<std::size_t>(rank)].lanes) add_lane(rank, lane);
    const auto base = address(rank, BufferKind::send, 0);
    program_.buffers.push_back({base, base + rank_bytes_});

    auto& expected = program_.expected.emplace_back();
    for (const Piece& piece : expectation(plan_.request, rank)) {
      for (Bytes i = 0; i < piece.bytes; ++i) {
        const Ref& from = piece.origin;
        expected.push_back({address(rank, BufferKind::recv, piece.offset + i),
                            address(from.rank, from.buffer, from.offset + i)});
      }
    }
    for (Bytes i = 0; i < buffer_bytes(plan_, BufferKind::send); ++i) {
      expected.push_back({base + i, base + i});
    }
  }

  void connect() {
    auto& actions = program_.actions;
    for (std::size_t i = 0; i < actions.size(); ++i) {
      if (actions[i].raises != kNone) program_.raisers[actions[i].raises].push_back(i);
      for (const int rank : actions[i].touches) {
        program_.touching[static_cast<std::size_t>(rank)].push_back(i);
      }
      for (std::size_t j = 0; j < i; ++j) {
        const Action& a = actions[i];
        const Action& b = actions[j];
        if (overlap(a.write, b.write) || overlap(a.write, b.read) || overlap(a.read, b.write)) {
          actions[i].conflicts.push_back(j);
          actions[j].conflicts.push_back(i);
        }
      }
    }
  }

  const Plan& plan_;
  std::size_t rank_bytes_;
  Program program_;
};

}  // namespace

Program lay_out(const Plan& plan) { return Layout(plan).run(); }

}  // namespace conccl::plan::oracle
