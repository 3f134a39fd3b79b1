// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Machine`: what a planner may know about a machine, measured or from a file. Pure data.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/core/linear_cost.hpp"
#include "conccl/core/units.hpp"

namespace conccl {

/// Bandwidths are in GB/s (1e9 bytes per second), peaks in TFLOP/s. Zero means "not known".
struct DeviceFacts {
  int compute_units = 0;
  int dma_engines = 0;     ///< engines usable for copies to peers
  double memory_gbps = 0;  ///< device memory, read plus write
  Bytes memory = 0;
  Bytes last_level_cache = 0;
  std::map<std::string, double> peak_tflops;  ///< by type: "bf16", "fp16", "fp8", "fp32"
  /// Share of the peaks and of the memory bandwidth that a good GEMM reaches (the paper: 0.7).
  double gemm_efficiency = 0;

  friend bool operator==(const DeviceFacts&, const DeviceFacts&) = default;
};

/// How devices reach one another.
struct LinkFacts {
  std::string topology;    ///< "full-mesh", "switch" or "shared-memory"
  double peer_gbps = 0;    ///< one device to one peer, one direction
  double device_gbps = 0;  ///< out of one device to all peers together, one direction

  friend bool operator==(const LinkFacts&, const LinkFacts&) = default;
};

/// A collective of the vendor's library, alone, as a cost in *bytes of the collective* (all-gather:
/// the whole output; all-to-all: one rank's send buffer).
struct CollectiveFacts {
  LinearCost cost;
  int compute_units = 0;  ///< how many it occupies by default; 0: not known

  friend bool operator==(const CollectiveFacts&, const CollectiveFacts&) = default;
};

struct Machine {
  std::string name;
  std::string backend;  ///< "host", "cuda" or "hsa"
  int devices = 0;
  DeviceFacts device;
  LinkFacts link;
  std::map<std::string, CollectiveFacts> baseline;  ///< by collective name: "all_gather", ...
  /// Where each figure comes from, by dotted field name ("link.peer_gbps"). A file must give a
  /// source for every figure; a probed machine says "probed".
  std::map<std::string, std::string> sources;
  /// What else was found out, for people: cores, BLAS kernel, driver version, ...
  std::map<std::string, std::string> notes;

  friend bool operator==(const Machine&, const Machine&) = default;
};

/// Reads a machine file. `name` is what errors call it. Throws InputError with line and column for
/// anything malformed: bad TOML, an unknown field, a wrong type, a unit that is not known, a figure
/// without a source, a negative or zero count.
[[nodiscard]] Machine parse_machine(std::string_view toml, std::string_view name);

/// Reads the file at `path`; InputError when it cannot be read.
[[nodiscard]] Machine load_machine(const std::string& path);

/// The inverse of `parse_machine`; what is zero is left out. Throws InputError for what a file may
/// not hold: a figure without a source, a baseline whose bytes cost nothing. The sources of a
/// baseline are "baseline.all_gather.cost.fixed_ns", "...cost.ns_per_byte", "...compute_units".
[[nodiscard]] std::string to_toml(const Machine& machine);

}  // namespace conccl
