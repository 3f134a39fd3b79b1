// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "c3/model/loads.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

using Kind = ResourceKind;

class Builder {
 public:
  Builder(const System& system, const plan::Plan& plan, std::span<const TaskCost> tasks,
          std::optional<RankSymmetry> symmetry)
      : system_(system),
        plan_(plan),
        tasks_(tasks),
        symmetry_(std::move(symmetry)),
        loads_(system, symmetry_ ? plan.request.ranks : 0) {}

  Script build() {
    script_.one_for_all = symmetry_.has_value();
    script_.devices = script_.one_for_all ? 1 : static_cast<int>(plan_.ranks.size());
    script_.flags = script_.one_for_all ? plan_.flags : plan_.flags * script_.devices;
    for (int rank = 0; rank < script_.devices; ++rank) add_rank(rank);
    script_.resources = loads_.resources();
    return std::move(script_);
  }

 private:
  void add_rank(int rank) {
    const auto& lanes = plan_.ranks[static_cast<std::size_t>(rank)].lanes;
    const Readers readers(plan_.ranks[static_cast<std::size_t>(rank)]);
    find_own_flags(rank);
    int engine = 0;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      const plan::Lane& from = lanes[lane];
      LaneScript to;
      to.rank = rank;
      to.lane = static_cast<int>(lane);
      to.engine = from.engine;
      to.claim = claim_of(from.share, system_.units());
      to.claim.priority = from.priority;
      to.launch_rank = from.launch_rank;
      script_.lanes.push_back(std::move(to));
      share_ = from.share;
      add_steps(from, readers, from.engine == plan::Engine::dma ? engine++ : 0);
    }
  }

  void add_steps(const plan::Lane& lane, const Readers& readers, int engine) {
    for (std::size_t step = 0; step < lane.steps.size();) {
      const plan::Step& first = lane.steps[step];
      if (const auto* const signal = std::get_if<plan::Signal>(&first)) {
        add_op(Op::Kind::signal, flag_at(signal->rank, signal->flag));
      } else if (const auto* const wait = std::get_if<plan::Wait>(&first)) {
        add_op(Op::Kind::wait, flag_at(script_.lanes.back().rank, wait->flag));
        if (own_flags_.contains(wait->flag)) add_pause(static_cast<int>(step));
      } else if (const auto* const compute = std::get_if<plan::Compute>(&first)) {
        add_task(static_cast<int>(step), compute->task);
      } else {
        step += add_copies(lane, step, readers, engine);
        continue;
      }
      ++step;
    }
  }

  /// Those that a rank raises itself.
  void find_own_flags(int rank) {
    own_flags_.clear();
    if (!(system_.model().flag_ns > 0)) return;
    for (const auto& lane : plan_.ranks[static_cast<std::size_t>(rank)].lanes) {
      for (const plan::Step& step : lane.steps) {
        const auto* const signal = std::get_if<plan::Signal>(&step);
        if (signal != nullptr && signal->rank == rank) own_flags_.insert(signal->flag);
      }
    }
  }

  void add_pause(int step) {
    Work& work = add_work(WorkKind::pause, step);
    work.steps = 0;
    work.alone_ns = system_.model().flag_ns;
  }

  void add_op(Op::Kind kind, int index) { script_.lanes.back().ops.push_back({kind, index}); }

  [[nodiscard]] int flag_at(int rank, int flag) const {
    return symmetry_ ? symmetry_->on_rank_0(rank, flag) : rank * plan_.flags + flag;
  }

  Work& add_work(WorkKind kind, int step) {
    Work work;
    work.kind = kind;
    work.device = script_.lanes.back().rank;
    work.lane = static_cast<int>(script_.lanes.size()) - 1;
    work.step = step;
    add_op(Op::Kind::work, static_cast<int>(script_.works.size()));
    script_.works.push_back(std::move(work));
    return script_.works.back();
  }

  void add_task(int step, int task) {
    if (task < 0 || static_cast<std::size_t>(task) >= tasks_.size()) {
      throw InputError(fmt::format("task {} has no cost; expected one for each of the plan's {}",
                                   task, plan_.tasks.size()));
    }
    const TaskCost& cost = tasks_[static_cast<std::size_t>(task)];
    Work& work = add_work(WorkKind::task, step);
    const int device = work.device;
    work.alone_ns = std::max(1.0, static_cast<double>(cost.alone.count()));
    work.units_wanted = system_.units();
    work.workgroups = cost.workgroups;
    const bool beside = share_.kind == plan::Share::Kind::all_but && !cost.slowdown_beside.empty();
    work.slowdown = beside ? &cost.slowdown_beside : &cost.slowdown;
    work.shares_units = system_.model().kernel_step > 0 && share_.kind == plan::Share::Kind::all;
    work.beside = cost.beside == BesideFacts{} ? system_.beside_any() : cost.beside;
    Load load;
    load[loads_.resource(Kind::memory, device)] = cost.memory_bytes;
    load[loads_.resource(Kind::cache, device)] = cost.cache_bytes;
    work.uses = loads_.uses(load, work.alone_ns);
    check_task(task, work);
  }

  void check_task(int task, const Work& work) const {
    for (const Use& use : work.uses) {
      if (use.share <= 1 + 1e-9) continue;
      throw InputError(fmt::format(
          "machine \"{}\": task {} alone moves {:.2f} times what its memory or cache can; expected "
          "figures that agree",
          system_.machine().name, task, use.share));
    }
  }

  /// Returns how many steps were taken up.
  std::size_t add_copies(const plan::Lane& lane, std::size_t first, const Readers& readers,
                         int engine) {
    std::size_t end = first;
    while (end < lane.steps.size() && std::holds_alternative<plan::Copy>(lane.steps[end])) ++end;
    const auto copies = std::span(lane.steps).subspan(first, end - first);
    if (lane.engine == plan::Engine::compute) {
      add_kernel(static_cast<int>(first), copies, readers);
    } else {
      for (std::size_t i = 0; i < copies.size(); ++i) {
        add_dma(static_cast<int>(first + i), copies.subspan(i, 1), readers, engine);
        const double launch = i == 0 ? system_.model().dma_launch_ns : 0;
        script_.works.back().latency_ns = launch + system_.model().dma_copy_ns;
      }
    }
    return end - first;
  }

  void add_dma(int step, std::span<const plan::Step> copy, const Readers& readers, int engine) {
    Work& work = add_work(WorkKind::dma, step);
    Load load = loads_.of(copy, readers);
    const int engines = std::max(1, system_.machine().device.dma_engines);
    const auto& step_of = std::get<plan::Copy>(copy.front());
    const bool within = step_of.src.rank == step_of.dst.rank;
    const ModelFacts& model = system_.model();
    const double faster =
        within && model.dma_local_gbps > 0 ? model.dma_local_gbps / model.dma_gbps : 1;
    load[loads_.resource(Kind::engine, work.device, engine % engines)] +=
        static_cast<double>(step_of.bytes) / faster;
    const double least = within && model.dma_local_gbps > 0
                             ? static_cast<double>(step_of.bytes) / model.dma_local_gbps
                             : 0;
    work.alone_ns = std::max(loads_.time_of(load), least);
    work.uses = loads_.uses(load, work.alone_ns);
    work.fills = loads_.fills(copy, work.alone_ns);
    work.local = work.fills.empty();
  }

  void add_kernel(int step, std::span<const plan::Step> copies, const Readers& readers) {
    Work& work = add_work(WorkKind::kernels, step);
    const plan::Collective collective = plan_.request.collective;
    const CollectiveFacts& facts = system_.kernels(collective);
    const Load load = loads_.of(copies, readers);
    const double rate = system_.kernel_rate(collective);
    work.steps = static_cast<int>(copies.size());
    work.latency_ns = facts.cost.fixed_ns;
    work.alone_ns = std::max(loads_.time_of(load), rate > 0 ? bytes_to_peers(copies) / rate : 0);
    if (!facts.times.empty()) tabled(facts, work, loads_.time_of(load));
    work.units_wanted = facts.compute_units;
    script_.lanes.back().claim.step = system_.model().kernel_step;
    script_.lanes.back().claim.device_units = system_.units();
    work.slowdown = &system_.slowdown(plan::name_of(collective));
    work.uses = loads_.uses(load, work.alone_ns);
    work.fills = loads_.fills(copies, work.alone_ns);
  }

  /// The whole plan moves what the table counts: direct collectives are one kernel per rank. Of the
  /// measured time as much is latency as leaves the links time for the bytes.
  void tabled(const CollectiveFacts& facts, Work& work, double moving_ns) const {
    const double ns = time_of(facts, plan::total_bytes(plan_.request));
    work.alone_ns = std::min(ns, std::max(ns - work.latency_ns, moving_ns));
    work.latency_ns = ns - work.alone_ns;
  }

  const System& system_;
  const plan::Plan& plan_;
  plan::Share share_;        ///< of the lane that is added
  std::set<int> own_flags_;  ///< of the rank that is added
  std::span<const TaskCost> tasks_;
  std::optional<RankSymmetry> symmetry_;
  Loads loads_;
  Script script_;
};

/// The verifier says more; this keeps the simulator within its tables.
void check_numbers(const plan::Plan& plan) {
  const auto ranks = static_cast<int>(plan.ranks.size());
  const auto check = [](int value, int end, std::string_view what) {
    if (value >= 0 && value < end) return;
    throw InputError(fmt::format("plan: {} {} is not in 0 .. {}", what, value, end - 1));
  };
  for (const auto& rank : plan.ranks) {
    for (const auto& lane : rank.lanes) {
      for (const auto& step : lane.steps) {
        if (const auto* const signal = std::get_if<plan::Signal>(&step)) {
          check(signal->rank, ranks, "rank");
          check(signal->flag, plan.flags, "flag");
        } else if (const auto* const wait = std::get_if<plan::Wait>(&step)) {
          check(wait->flag, plan.flags, "flag");
        } else if (const auto* const copy = std::get_if<plan::Copy>(&step)) {
          check(copy->src.rank, ranks, "rank");
          check(copy->dst.rank, ranks, "rank");
        }
      }
    }
  }
}

}  // namespace

Script make_script(const System& system, const plan::Plan& plan, std::span<const TaskCost> tasks,
                   Symmetry symmetry) {
  check_numbers(plan);
  auto found = symmetry == Symmetry::used ? RankSymmetry::of(plan) : std::optional<RankSymmetry>();
  return Builder(system, plan, tasks, std::move(found)).build();
}

}  // namespace conccl::c3
