// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Where the time went between the ideal overlap of a GEMM and a collective and the measured one.
///
/// With X the task that ends last, on the rank where it does, T(X) its isolated time there:
///
///   lost = T_c3 - max(T_gemm, T_comm)
///        = (start(X) - isolated start) + (duration(X) - isolated duration) - slack
///   slack = max(T_gemm, T_comm) - T(X)
///
/// Every cause is measured by runs that differ from others in that one thing; none is what remains
/// after the others. What remains is `unexplained_ms`, which may be negative.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace conccl::bench {

enum class LastTask : std::uint8_t { gemm, comm };

/// What a strategy loses against the ideal, trimmed means over rounds, and half the 95 % interval
/// of that, which resamples whole rounds; not less than the resolution of devices' timestamps.
/// Means, because parts are to add up and times lie in heaps: a flag is seen now or at the next
/// look.
struct Loss {
  double lost_ms = 0;
  double spread_ms = 0;
};

/// One time per round; the same index is the same round in all three.
struct LossTimes {
  std::span<const double> gemm_ms;
  std::span<const double> comm_ms;
  std::span<const double> c3_ms;
  std::uint64_t seed = 1;
};
/// Throws InputError for no rounds.
[[nodiscard]] Loss loss_of(const LossTimes& times);

/// Losses above this many spreads are attributed.
inline constexpr double kSpreadsThatMatter = 3;
[[nodiscard]] bool matters(const Loss& loss);

struct Cause {
  std::string name;
  double ms = 0;
};

/// Mean clock of the compute units while the GEMM ran, from their cycle counters.
struct ClockFigures {
  double alone_ghz = 0;
  double together_ghz = 0;
  double alone_zero_ghz = 0;     ///< zero operands
  double together_zero_ghz = 0;  ///< zero operands
  /// By which power of the clock the isolated GEMM's time falls, from its runs with random and
  /// with zero operands: 1 when bound by compute, 0 when bound by memory.
  double elasticity = 1;
};

struct Attribution {
  std::string scenario;  ///< for people
  std::string strategy;
  LastTask last = LastTask::gemm;
  int rank = 0;  ///< where it ended last
  Loss loss;
  double slack_ms = 0;  ///< what X had in hand before anybody would have noticed
  std::vector<Cause> causes;
  double unexplained_ms = 0;
  std::optional<ClockFigures> clocks;
  std::vector<std::string> notes;  ///< what could not be measured here
};

/// 1 - |unexplained| / lost, at least 0.
[[nodiscard]] double explained_share(const Attribution& attribution);

/// Every loss that matters should be explained to this share.
inline constexpr double kShareToExplain = 0.8;

struct AttributionSummary {
  std::size_t count = 0;
  std::size_t explained = 0;  ///< to at least kShareToExplain
  double median_share = 0;
  double least_share = 0;
  std::string least;  ///< scenario and strategy of the least
};
/// Zeros for none.
[[nodiscard]] AttributionSummary summarize_attributions(std::span<const Attribution> attributions);

/// "gemm", "comm".
[[nodiscard]] std::string_view name_of(LastTask task);

/// A JSON object with every field and the share.
[[nodiscard]] std::string to_json(const Attribution& attribution);
/// Three lines or so: what was lost, the causes, the clocks and notes.
[[nodiscard]] std::string to_text(const Attribution& attribution);
/// One line.
[[nodiscard]] std::string to_text(const AttributionSummary& summary);

}  // namespace conccl::bench
