// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Figures with a unit, as machine files spell them: "5300 GB/s", "1307.4 TFLOP/s", "24 us".
/// Prefixes here are decimal, as data sheets use them; byte counts are in conccl/core/units.hpp.
#pragma once

#include <string>
#include <string_view>

namespace conccl {

enum class Quantity {
  bandwidth,     ///< in GB/s
  compute_rate,  ///< in TFLOP/s
  duration,      ///< in nanoseconds
  power,         ///< in watts
};

/// The value in the unit named above. Throws InputError for anything but a finite number of at
/// least zero and a unit that is known for the quantity, with one space or none between them.
[[nodiscard]] double parse_quantity(std::string_view text, Quantity quantity);

/// "a number and one of ns, us, ms, such as "24 us"": for messages.
[[nodiscard]] std::string expected_of(Quantity quantity);

/// The shortest text that `parse_quantity` turns back into exactly `value`.
[[nodiscard]] std::string format_quantity(double value, Quantity quantity);

}  // namespace conccl
