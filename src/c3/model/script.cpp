// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "c3/model/script.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

using Kind = ResourceKind;

/// Bytes that one work puts on each resource.
using Load = std::map<Resource, double>;

/// How many copies of a rank read each place. They run side by side, so that the last-level cache
/// answers all but the first.
class Readers {
 public:
  explicit Readers(const plan::RankPlan& rank) {
    for (const auto& lane : rank.lanes) {
      for (const auto& step : lane.steps) {
        if (const auto* const copy = std::get_if<plan::Copy>(&step)) ++counts_[key_of(*copy)];
      }
    }
  }

  [[nodiscard]] int of(const plan::Copy& copy) const { return counts_.at(key_of(copy)); }

 private:
  using Key = std::tuple<int, plan::BufferKind, Bytes>;
  static Key key_of(const plan::Copy& copy) {
    return {copy.src.rank, copy.src.buffer, copy.src.offset};
  }

  std::map<Key, int> counts_;
};

class Builder {
 public:
  Builder(const System& system, const plan::Plan& plan, std::span<const TaskCost> tasks,
          std::optional<RankSymmetry> symmetry)
      : system_(system), plan_(plan), tasks_(tasks), symmetry_(std::move(symmetry)) {}

  Script build() {
    script_.one_for_all = symmetry_.has_value();
    script_.devices = script_.one_for_all ? 1 : static_cast<int>(plan_.ranks.size());
    script_.flags = script_.one_for_all ? plan_.flags : plan_.flags * script_.devices;
    for (int rank = 0; rank < script_.devices; ++rank) add_rank(rank);
    script_.resources = resources_.size();
    return std::move(script_);
  }

 private:
  void add_rank(int rank) {
    const auto& lanes = plan_.ranks[static_cast<std::size_t>(rank)].lanes;
    const Readers readers(plan_.ranks[static_cast<std::size_t>(rank)]);
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
      } else if (const auto* const compute = std::get_if<plan::Compute>(&first)) {
        add_task(static_cast<int>(step), compute->task);
      } else {
        step += add_copies(lane, step, readers, engine);
        continue;
      }
      ++step;
    }
  }

  void add_op(Op::Kind kind, int index) { script_.lanes.back().ops.push_back({kind, index}); }

  [[nodiscard]] int flag_at(int rank, int flag) const {
    return symmetry_ ? symmetry_->on_rank_0(rank, flag) : rank * plan_.flags + flag;
  }

  /// Seen from `rank`, where one rank stands for all of them.
  [[nodiscard]] Resource resource(Kind kind, int device, int other = 0) const {
    if (!symmetry_) return {kind, device, other};
    if (kind != Kind::pair) return {kind, 0, other};
    const int ranks = plan_.request.ranks;
    return {kind, 0, ((other - device) % ranks + ranks) % ranks};
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
    work.slowdown = &cost.slowdown;
    Load load;
    load[resource(Kind::memory, device)] = cost.memory_bytes;
    load[resource(Kind::cache, device)] = cost.cache_bytes;
    set_uses(work, load);
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
    Load load = load_of(copy, readers);
    const int engines = std::max(1, system_.machine().device.dma_engines);
    const auto bytes = static_cast<double>(std::get<plan::Copy>(copy.front()).bytes);
    load[resource(Kind::engine, work.device, engine % engines)] += bytes;
    work.alone_ns = time_of(load);
    set_uses(work, load);
    set_fills(work, copy);
  }

  void add_kernel(int step, std::span<const plan::Step> copies, const Readers& readers) {
    Work& work = add_work(WorkKind::kernels, step);
    const plan::Collective collective = plan_.request.collective;
    const CollectiveFacts& facts = system_.kernels(collective);
    const Load load = load_of(copies, readers);
    const double rate = system_.kernel_rate(collective);
    work.steps = static_cast<int>(copies.size());
    work.latency_ns = facts.cost.fixed_ns;
    work.alone_ns = std::max(time_of(load), rate > 0 ? to_peers(copies) / rate : 0);
    work.units_wanted = facts.compute_units;
    work.slowdown = &system_.slowdown(plan::name_of(collective));
    set_uses(work, load);
    set_fills(work, copies);
  }

  [[nodiscard]] Load load_of(std::span<const plan::Step> copies, const Readers& readers) const {
    Load load;
    for (const plan::Step& step : copies) {
      const auto& copy = std::get<plan::Copy>(step);
      const auto bytes = static_cast<double>(copy.bytes);
      load[resource(Kind::memory, copy.src.rank)] += bytes / readers.of(copy);
      load[resource(Kind::memory, copy.dst.rank)] += bytes;
      load[resource(Kind::cache, copy.src.rank)] += bytes;
      load[resource(Kind::cache, copy.dst.rank)] += bytes;
      if (copy.src.rank == copy.dst.rank) continue;
      load[resource(Kind::link_out, copy.src.rank)] += bytes;
      load[resource(Kind::link_in, copy.dst.rank)] += bytes;
      load[resource(Kind::pair, copy.src.rank, copy.dst.rank)] += bytes;
    }
    return load;
  }

  [[nodiscard]] static double to_peers(std::span<const plan::Step> copies) {
    double bytes = 0;
    for (const plan::Step& step : copies) {
      const auto& copy = std::get<plan::Copy>(step);
      if (copy.src.rank != copy.dst.rank) bytes += static_cast<double>(copy.bytes);
    }
    return bytes;
  }

  /// The busiest resource's time.
  [[nodiscard]] double time_of(const Load& load) const {
    double time = 1;
    for (const auto& [resource, bytes] : load) {
      if (const double rate = system_.rate(resource.kind); rate > 0) {
        time = std::max(time, bytes / rate);
      }
    }
    return time;
  }

  void set_uses(Work& work, const Load& load) {
    for (const auto& [resource, bytes] : load) {
      const double rate = system_.rate(resource.kind);
      if (!(rate > 0) || !(bytes > 0)) continue;
      work.uses.push_back({resources_.number_of(resource), bytes / rate / work.alone_ns});
    }
  }

  /// Half for what leaves a device, half for what reaches one, so that full links both ways are 1.
  void set_fills(Work& work, std::span<const plan::Step> copies) const {
    const double rate = system_.rate(Kind::link_out);
    if (!(rate > 0)) return;
    std::map<int, double> bytes;
    for (const plan::Step& step : copies) {
      const auto& copy = std::get<plan::Copy>(step);
      if (copy.src.rank == copy.dst.rank) continue;
      bytes[symmetry_ ? 0 : copy.src.rank] += static_cast<double>(copy.bytes) / 2;
      bytes[symmetry_ ? 0 : copy.dst.rank] += static_cast<double>(copy.bytes) / 2;
    }
    for (const auto& [device, moved] : bytes) {
      work.fills.push_back({device, moved / rate / work.alone_ns});
    }
  }

  const System& system_;
  const plan::Plan& plan_;
  std::span<const TaskCost> tasks_;
  std::optional<RankSymmetry> symmetry_;
  ResourceIndex resources_;
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
