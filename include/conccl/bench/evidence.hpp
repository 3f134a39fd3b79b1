// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What the vendor's tracer saw of a configuration: which hardware moved the collective's bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conccl/core/units.hpp"

namespace conccl::bench {

/// Bytes that copies moved, by who moved them. "Copy engine": an asynchronous copy channel.
struct Traffic {
  Bytes peer_by_copy_engine = 0;   ///< between devices
  Bytes peer_otherwise = 0;        ///< between devices
  Bytes local_by_copy_engine = 0;  ///< with no second device on record
  Bytes local_otherwise = 0;       ///< with no second device on record
  Bytes host = 0;                  ///< to or from the host
  int copy_channels = 0;           ///< copy engines' channels that moved any device's bytes
};

enum class Carrier {
  copy_engines,  ///< every expected byte, and no kernel beside the GEMM's
  others,        ///< kernels ran, or bytes went another way
  unknown,       ///< no tracer, or not all bytes are on record
};

/// The evidence for one row of a report, over all ranks. `text` is one line for people.
struct RowEvidence {
  Carrier carrier = Carrier::unknown;
  std::string text = "no evidence: not looked for";
  std::string tracer;        ///< "CUPTI 13.0.1"; empty without one
  Bytes expected_bytes = 0;  ///< between ranks
  Traffic traffic;
  std::vector<std::string> kernels;  ///< beside the GEMM's, sorted, each once
};

/// "copy_engines", "others", "unknown".
[[nodiscard]] std::string_view name_of(Carrier carrier);

/// A JSON object with every field.
[[nodiscard]] std::string to_json(const RowEvidence& evidence);

}  // namespace conccl::bench
