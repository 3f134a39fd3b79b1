// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The advisor: which strategy to use for a GEMM beside a collective, and why. Every strategy is a
/// candidate with a pure probe; a rule set says what the probes answer. Pure and deterministic;
/// nothing is measured, and every time is a model's.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/c3/strategy.hpp"
#include "conccl/core/gemm_shape.hpp"
#include "conccl/core/machine.hpp"
#include "conccl/plan/request.hpp"

namespace conccl::c3 {

/// What is to be run together, with one rank per device of the machine.
struct Question {
  GemmSpec gemm;
  plan::Collective collective = plan::Collective::all_gather;
  Bytes bytes = 0;  ///< of the collective, as nccl-tests count them
};

/// How candidates are judged.
enum class RuleSet {
  /// The smallest time that `ScenarioModel` predicts, budgets swept; see `best_of`.
  model,
  /// The rules of the ConCCL paper (arXiv 2412.14335); see below. No simulator: a probe's time is
  /// what its rule computes, made to be compared and not to be believed: it knows no interference.
  paper,
};

[[nodiscard]] std::string_view name_of(RuleSet rules);
/// "model" or "paper". Throws InputError for anything else.
[[nodiscard]] RuleSet parse_rule_set(std::string_view name);
/// One line for people.
[[nodiscard]] std::string_view what_of(RuleSet rules);

// The paper's rules. `N` is the number of compute units; sigma_gemm(k) and sigma_comm(k) are the
// machine's slowdown tables of a GEMM that loses k units and of a collective that has k.
//
//   times   T_gemm and T_comm are roofline times at kPaperEfficiency: the paper, for its split. The
//           collective's bytes go through the links of one device.
//   split   c3_rp takes the k that minimises max(T_gemm sigma_gemm(k), T_comm sigma_comm(k)), of
//           powers of two times the step of partitions: the paper. c3_sp_rp likewise: the paper
//           finds no gain from both.
//   order   the kernel with fewer workgroups is launched first: the paper. So c3_sp if that is the
//           collective, else c3_base. The paper gives no time for it; here the first kernel runs as
//           if alone, on as many units as workgroups, and the other one on the rest.
//   DMA     is used from the size on where its collective alone is not slower than the kernels':
//           the paper, which finds them far slower below 32 MB and equal from 128 MB. Kernels are
//           passed over then. "Not slower" is at most kOnPar times as slow: with the costs of
//           mi300x.toml from 24 MB.
//           Its time is the larger of T_gemm and so many times T_comm: it takes no units.
//   r       conccl_rp gives up kPaperGivenUp units, for memory-bound GEMMs only: the paper.
//           conccl is passed over then.
inline constexpr double kPaperEfficiency = 0.7;
inline constexpr double kOnPar = 1.2;
inline constexpr int kPaperGivenUp = 8;

/// What a rule set says of one candidate.
struct Probe {
  std::optional<Nanoseconds> time;  ///< of both together; none: not possible
  int budget = 0;                   ///< as the strategy counts it
  /// How the time comes about; where there is none, why not: it follows "not possible, because".
  std::string reason;
  /// Why the rules do not take it although it is possible; empty: they may.
  std::string passed_over;
  /// Where a figure leaves what the machine's tables or model were made from, a line each.
  std::vector<std::string> extrapolated;
};

/// `probe` is pure. It needs the machine that it was made from.
struct Candidate {
  std::string_view name;  ///< of one of `strategies()`
  std::string_view why;   ///< when it pays, one line
  std::function<Probe()> probe;
};

/// One for each of `strategies()`, in that order. `machine` must outlive them; not for several
/// threads at once. Throws InputError when the machine lacks a figure that no probe can do without,
/// or the bytes are too few for its devices.
[[nodiscard]] std::vector<Candidate> candidates(const Machine& machine, const Question& question,
                                                RuleSet rules);

struct Considered {
  std::string name;
  std::string why;
  Probe probe;
};

/// The fastest that is possible and not passed over; of equal ones the first. One on DMA engines
/// goes before it if it takes at most the share `error` longer: then the times do not say which is
/// faster, and it leaves the GEMM the compute units. Of two such the later in the list: conccl_rp,
/// which is conccl where it gives up no unit, and whose budget can be measured. `names` empty:
/// among all, else among those. Null: there is none.
[[nodiscard]] const Considered* best_of(std::span<const Considered> considered,
                                        std::span<const std::string> names, double error);

/// Which times such rules do not tell apart: the model's own error on the machine, where it is
/// known; the paper's rules compare to the last nanosecond.
[[nodiscard]] double error_of(const Machine& machine, RuleSet rules);

struct Advice {
  RuleSet rules = RuleSet::model;
  Question question;
  std::vector<Considered> considered;  ///< in the order of `candidates`
  std::string recommended;             ///< what the rules take
  std::string chosen;                  ///< what was asked for, else the same
  std::string sentence;                ///< why, in one
};

[[nodiscard]] const Considered& chosen_of(const Advice& advice);

/// `strategy` empty: as the rules say; else that one. `among` empty: all candidates are considered,
/// else those. Throws as `candidates`, and InputError for a name that is no candidate's or a
/// candidate that is not possible.
[[nodiscard]] Advice advise(const Machine& machine, const Question& question, RuleSet rules,
                            std::string_view strategy = {},
                            std::span<const std::string> among = {});

}  // namespace conccl::c3
