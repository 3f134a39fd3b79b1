// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// A measured study beside the model: every result that the model knows, predicted with the
/// result's own budget, and how far the predictions are off.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/c3/model/predict.hpp"

namespace conccl::c3 {

/// One result of a measured study. Its times are medians; `t_comm_ms` is of the strategy's own
/// form.
struct MeasuredRow {
  std::string study;  ///< which one, for people; may be empty
  std::string scenario;
  GemmSpec gemm;
  plan::Collective collective = plan::Collective::all_gather;
  Bytes bytes = 0;  ///< of the collective, as nccl-tests count them
  int ranks = 0;
  std::string strategy;
  int budget = 0;  ///< as the strategy counts it
  /// The part of the time around it in which GEMMs ran; none: not known, taken for none.
  std::optional<double> gemm_share = {};
  C3Times times;
  double noise = 0;  ///< half the range of T_c3 over its rounds, over its median; 0: not known
};

/// Where the GEMM's isolated time comes from. With the measured one contention and the collective
/// are predicted alone; bytes that the GEMM could not move in that time are left out.
enum class Isolated { model, measured };

/// "model", "measured".
[[nodiscard]] std::string_view name_of(Isolated isolated);
/// Throws InputError for anything else.
[[nodiscard]] Isolated parse_isolated(std::string_view name);

/// Predicted over measured, less 1: positive where the model is too slow.
struct TimeErrors {
  double t_gemm = 0;
  double t_comm = 0;
  double t_c3 = 0;
};

struct ComparedRow {
  MeasuredRow measured;
  C3Times predicted;
  TimeErrors error;
  std::vector<std::string> extrapolated;  ///< as `Prediction::extrapolated`
};

/// Errors of T_c3 beyond these are counted.
inline constexpr double kNearError = 0.05;
inline constexpr double kFarError = 0.15;

/// Beyond kFarError.
[[nodiscard]] bool is_far(const ComparedRow& row);

struct Comparison {
  Isolated isolated = Isolated::model;
  std::vector<ComparedRow> rows;            ///< in the order of the measured ones
  std::map<std::string, int> not_modelled;  ///< rows of strategies that are not in `strategies()`
};

/// A limit on the thread blocks of a vendor's collective is predicted as so many compute units,
/// also where no partition of the device has as many.
/// Throws InputError, naming scenario and strategy, for other ranks than the machine has devices, a
/// budget or strategy that the machine cannot run, a time that is not over zero; when no row can be
/// predicted; and when the machine lacks a figure.
[[nodiscard]] Comparison compare(const Machine& machine, std::span<const MeasuredRow> rows,
                                 Isolated isolated = Isolated::model);

/// `ComparedRow::error.t_c3` of rows that `compare` takes, of strategies that the model knows.
/// Throws as it does.
[[nodiscard]] std::vector<double> c3_errors(const Machine& machine,
                                            std::span<const MeasuredRow> rows);

/// How far off some rows are. Medians are of errors without their sign.
struct ErrorSummary {
  std::string strategy;                        ///< empty: all
  std::optional<plan::Collective> collective;  ///< none: both
  int rows = 0;
  double median_gemm = 0;
  double median_comm = 0;
  double median_c3 = 0;
  double mean_c3 = 0;     ///< with sign
  std::size_t worst = 0;  ///< the row with the largest error of T_c3; of equal ones the first
  int over_near = 0;      ///< rows with an error of T_c3 beyond kNearError
  int over_far = 0;       ///< and beyond kFarError
  int extrapolated = 0;   ///< rows
};

/// Over all rows, of which there must be one (BrokenInvariant).
[[nodiscard]] ErrorSummary overall_errors(const Comparison& comparison);
/// Per strategy and collective that has rows, in the order of `strategies()` and
/// `all_collectives()`.
[[nodiscard]] std::vector<ErrorSummary> errors_by_strategy(const Comparison& comparison);

}  // namespace conccl::c3
