// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// The ConCCL paper's rules; the header of the advisor states them.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "c3/advisor/judges.hpp"
#include "c3/model/slowdown.hpp"
#include "c3/model/system.hpp"
#include "c3/roofline_terms.hpp"
#include "conccl/c3/model/predict.hpp"
#include "conccl/c3/roofline.hpp"
#include "conccl/c3/taxonomy.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::c3 {
namespace {

/// What every rule looks at.
struct PaperCase {
  DeviceShape device;
  GemmBound bound = GemmBound::compute;
  double gemm_ns = 0;
  double comm_ns = 0;
  double gemm_groups = 0;  ///< workgroups; 0: not known
  double comm_groups = 0;
  double dma_over_kernels = 0;  ///< isolated
  const SlowdownTable* gemm_table = nullptr;
  const SlowdownTable* comm_table = nullptr;
};

[[noreturn]] void paper_lacks(const Machine& machine, std::string_view figure) {
  throw InputError(fmt::format("machine \"{}\": {} is not known; expected it for the paper's rules",
                               machine.name, figure));
}

const SlowdownTable& table_of(const Machine& machine, std::string_view name) {
  const auto found = machine.model.slowdown.find(std::string(name));
  if (found == machine.model.slowdown.end() || found->second.empty()) {
    paper_lacks(machine, fmt::format("model.slowdown.{}", name));
  }
  return found->second;
}

double known_or_endless(double gbps) {
  return gbps > 0 ? gbps : std::numeric_limits<double>::infinity();
}

double block_of(const Machine& machine, const Question& question) {
  const Bytes block = question.bytes / static_cast<Bytes>(std::max(1, machine.devices));
  if (block == 0) {
    throw InputError(fmt::format("{} bytes are too few for {} devices; expected 1 for each",
                                 question.bytes, machine.devices));
  }
  return static_cast<double>(block);
}

/// What one device sends to its peers at the links' full rate.
double links_ns(const Machine& machine, double block) {
  if (!(machine.link.device_gbps > 0)) paper_lacks(machine, "link.device_bandwidth");
  return block * (machine.devices - 1) / machine.link.device_gbps;
}

/// One copy to each peer, as many at once as there are engines.
double dma_alone_ns(const Machine& machine, double block) {
  const ModelFacts& model = machine.model;
  const int peers = machine.devices - 1;
  const int at_once = std::min(peers, machine.device.dma_engines);
  const double efficiency = model.link_efficiency > 0 ? model.link_efficiency : 1;
  const double rate =
      std::min({known_or_endless(machine.link.peer_gbps) * efficiency,
                machine.link.device_gbps * efficiency / at_once, known_or_endless(model.dma_gbps)});
  const double rounds = std::ceil(static_cast<double>(peers) / at_once);
  return model.dma_launch_ns + rounds * (model.dma_copy_ns + block / rate);
}

double dma_over_kernels(const Machine& machine, const Question& question, double block) {
  const bool neither = machine.device.dma_engines < 1 || machine.devices < 2;
  const auto line = baseline_collective(machine, question.collective, question.bytes);
  if (neither) return 1;
  const auto& facts = machine.baseline.at(std::string(plan::name_of(question.collective)));
  const double kernels =
      facts.times.empty() ? static_cast<double>(line.count()) : time_of(facts, question.bytes);
  return dma_alone_ns(machine, block) / std::max(1.0, kernels);
}

PaperCase case_of(const Machine& machine, const Question& question) {
  const auto collective = plan::name_of(question.collective);
  const RooflineTerms terms = roofline_terms(machine, question.gemm);
  const double block = block_of(machine, question);
  PaperCase the;
  the.device = device_shape(machine);
  the.bound = bound_of(machine, question.gemm);
  the.gemm_ns = std::max(terms.compute_ns, terms.memory_ns) / kPaperEfficiency;
  the.comm_ns = links_ns(machine, block) / kPaperEfficiency;
  the.gemm_groups = gemm_cost(machine, question.gemm).workgroups;
  the.dma_over_kernels = dma_over_kernels(machine, question, block);
  the.comm_groups = machine.baseline.at(std::string(collective)).compute_units;
  the.gemm_table =
      &table_of(machine, the.bound == GemmBound::memory ? "memory_bound" : "compute_bound");
  the.comm_table = &table_of(machine, collective);
  return the;
}

/// Where one of the two runs, and its speed there, 1 being alone.
struct Side {
  double units = 0;
  double speed = 1;
};

/// The larger of both times.
Probe side_by_side(const PaperCase& the, const Side& gemm, const Side& comm) {
  const double gemm_ns = the.gemm_ns / gemm.speed;
  const double comm_ns = the.comm_ns / comm.speed;
  Probe probe;
  probe.time = whole_ns(std::max(gemm_ns, comm_ns));
  probe.reason = fmt::format("GEMM {:.3f} ms on {:.0f} units, collective {:.3f} ms on {:.0f}",
                             gemm_ns / 1e6, gemm.units, comm_ns / 1e6, comm.units);
  if (gemm.speed < 1 && gemm.units < the.gemm_table->front().units) {
    probe.extrapolated.push_back(
        fmt::format("a GEMM on {:.0f} compute units; its slowdown is known from {} on", gemm.units,
                    the.gemm_table->front().units));
  }
  return probe;
}

Side gemm_on(const PaperCase& the, double units) {
  return {units, task_speed(*the.gemm_table, units)};
}

Side comm_on(const PaperCase& the, double units) {
  return {units, task_speed(*the.comm_table, units)};
}

Probe not_possible(std::string reason) {
  Probe probe;
  probe.reason = std::move(reason);
  return probe;
}

Probe one_after_the_other(const PaperCase& the) {
  Probe probe;
  probe.time = whole_ns(the.gemm_ns + the.comm_ns);
  probe.reason = fmt::format("GEMM {:.3f} ms, then the collective {:.3f} ms", the.gemm_ns / 1e6,
                             the.comm_ns / 1e6);
  return probe;
}

/// The first has a unit for each of its workgroups, the other one the rest.
Probe in_order(const PaperCase& the, Order order) {
  if (!(the.gemm_groups > 0)) return not_possible("the GEMM's workgroups are not known");
  if (!(the.comm_groups > 0)) return not_possible("the collective's workgroups are not known");
  const bool comm_first = the.comm_groups < the.gemm_groups;
  if (comm_first != (order == Order::comm_first)) {
    return not_possible(fmt::format(
        "the kernel with fewer workgroups is launched first: the GEMM has {:.0f}, the collective "
        "{:.0f}",
        the.gemm_groups, the.comm_groups));
  }
  const double units = the.device.compute_units;
  const double first = comm_first ? the.comm_groups : the.gemm_groups;
  if (first >= units) return not_possible("the first kernel leaves the other one no units");
  return comm_first ? side_by_side(the, gemm_on(the, units - first), {first, 1})
                    : side_by_side(the, {first, 1}, comm_on(the, units - first));
}

Probe best_split(const PaperCase& the, const Strategy& strategy) {
  Probe best;
  for (const int k : budgets_to_sweep(strategy, the.device)) {
    Probe probe = side_by_side(the, gemm_on(the, the.device.compute_units - k), comm_on(the, k));
    probe.budget = k;
    if (!best.time || *probe.time < *best.time) best = std::move(probe);
  }
  if (!best.time) best.reason = why_not(strategy, the.device, the.device.unit_step);
  return best;
}

bool gives_up(const PaperCase& the) {
  return the.bound == GemmBound::memory &&
         why_not(find_strategy("conccl_rp"), the.device, kPaperGivenUp).empty();
}

/// The GEMM on so many units less.
Probe by_dma(const PaperCase& the, int given_up) {
  const double units = the.device.compute_units - given_up;
  const double gemm = the.gemm_ns / (given_up > 0 ? task_speed(*the.gemm_table, units) : 1);
  const double comm = the.comm_ns * the.dma_over_kernels;
  Probe probe;
  probe.budget = given_up;
  probe.time = whole_ns(std::max(gemm, comm));
  probe.reason =
      fmt::format("GEMM {:.3f} ms on {:.0f} units, DMA {:.3f} ms", gemm / 1e6, units, comm / 1e6);
  if (the.dma_over_kernels > kOnPar) {
    probe.passed_over = fmt::format("DMA alone takes {:.2f} times as long as kernels, over {:.1f}",
                                    the.dma_over_kernels, kOnPar);
  } else if (given_up == 0 && gives_up(the)) {
    probe.passed_over = "a memory-bound GEMM gives up units";
  }
  return probe;
}

Probe on_engines(const PaperCase& the, const Strategy& strategy) {
  const bool gives = strategy.budget == BudgetKind::gemm_gives;
  if (const auto reason = why_not(strategy, the.device, gives ? kPaperGivenUp : 0);
      !reason.empty()) {
    return not_possible(reason);
  }
  if (gives && the.bound != GemmBound::memory) {
    return not_possible("only a memory-bound GEMM gives up units, and this one is compute-bound");
  }
  return by_dma(the, gives ? kPaperGivenUp : 0);
}

Probe on_units(const PaperCase& the, const Strategy& strategy) {
  if (strategy.order == Order::gemm_then_comm) return one_after_the_other(the);
  if (strategy.budget == BudgetKind::comm_units) return best_split(the, strategy);
  return in_order(the, strategy.order);
}

Probe paper_probe(const PaperCase& the, const Strategy& strategy) {
  if (strategy.form == plan::Form::dma) return on_engines(the, strategy);
  Probe probe = on_units(the, strategy);
  if (the.device.dma_engines > 0 && the.dma_over_kernels <= kOnPar) {
    probe.passed_over =
        fmt::format("DMA alone takes {:.2f} times as long as kernels, not over {:.1f}",
                    the.dma_over_kernels, kOnPar);
  }
  return probe;
}

}  // namespace

Judge paper_judge(const Machine& machine, const Question& question) {
  return [the = case_of(machine, question)](const Strategy& strategy) {
    return paper_probe(the, strategy);
  };
}

}  // namespace conccl::c3
