// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Machine`: what a planner may know about a machine, measured or from a file. Pure data.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "conccl/core/gemm_shape.hpp"
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

/// What a collective of so many bytes took alone.
struct CollectiveTime {
  Bytes bytes = 0;
  double ns = 0;

  friend bool operator==(const CollectiveTime&, const CollectiveTime&) = default;
};

/// A collective of the vendor's library, alone, as a cost in *bytes of the collective* (all-gather:
/// the whole output; all-to-all: one rank's send buffer).
struct CollectiveFacts {
  LinearCost cost;
  int compute_units = 0;  ///< how many it occupies by default; 0: not known
  /// Measured or derived ones, ascending in both; where there are some the model uses them.
  std::vector<CollectiveTime> times = {};

  friend bool operator==(const CollectiveFacts&, const CollectiveFacts&) = default;
};

/// How much slower than alone on the whole device a task runs on `units` compute units.
struct SlowdownPoint {
  int units = 0;
  double factor = 0;

  friend bool operator==(const SlowdownPoint&, const SlowdownPoint&) = default;
};

/// Ascending in `units`. How it is read between and beyond its points: docs/model.md.
using SlowdownTable = std::vector<SlowdownPoint>;

/// Watts of one device. Only a device whose cap, idle and GEMM power are known is held to its cap.
struct PowerFacts {
  double cap_w = 0;
  double idle_w = 0;
  double gemm_w = 0;     ///< what a GEMM adds at full clock
  double kernels_w = 0;  ///< what kernels that fill the links add
  double dma_w = 0;      ///< what DMA engines that fill the links add
  double exponent = 0;   ///< of the clock in the GEMM's power; at least 1
  /// A limit that looks at the mean power of a second or so: how much longer a compute-bound GEMM
  /// takes, at least 1, from `throttled_to` on, the part of the time in which GEMMs run; not at all
  /// up to `throttled_from`; in proportion in between.
  double throttled = 0;
  double throttled_from = 0;
  double throttled_to = 0;

  friend bool operator==(const PowerFacts&, const PowerFacts&) = default;
};

/// How much slower a GEMM and a collective make each other beyond what the shared resources
/// explain, at least 1; zero: not at all. A collective counts by the part of the links that it
/// fills, a GEMM by its speed.
struct BesideFacts {
  double gemm_by_kernels = 0;
  double gemm_by_dma = 0;
  double gemm_by_local = 0;    ///< beside DMA engines that copy within the device
  double kernels_by_gemm = 0;  ///< their latency too
  double dma_by_gemm = 0;
  double local_by_gemm = 0;
  double dma_launch_by_gemm = 0;  ///< launch and synchronisation of a batch of copies
  /// Of a GEMM that keeps the whole device's kernel, as one does without a partition, while kernels
  /// hold units that it has none to spare for.
  double gemm_squeezed = 0;

  friend bool operator==(const BesideFacts&, const BesideFacts&) = default;
};

/// By name of the collective: "all_gather", "all_to_all".
using BesideCollectives = std::map<std::string, BesideFacts>;

/// A GEMM whose time alone on the whole device was measured; no estimate is made for it.
struct KnownGemm {
  GemmSpec gemm;
  double time_ns = 0;
  SlowdownTable slowdown;  ///< its own; empty: that of its kind
  /// Its own beside a partition of the other units; empty: as `slowdown`, or that of its kind if
  /// that is empty too.
  SlowdownTable slowdown_beside = {};
  BesideCollectives beside = {};  ///< its own; where not known: those of its kind

  friend bool operator==(const KnownGemm&, const KnownGemm&) = default;
};

/// What the model of contention needs beyond the facts above; docs/model.md says what each one
/// does. Zero means "not known", which leaves the effect out.
struct ModelFacts {
  double memory_efficiency = 0;  ///< share of the memory bandwidth that can be reached at all
  double link_efficiency = 0;    ///< share of the links' bandwidths likewise
  double cache_gbps = 0;         ///< last-level cache and the fabric behind it, reads plus writes
  int unit_step = 0;             ///< partitions hold a multiple of so many compute units
  int tile_m = 0;                ///< of a GEMM's result, per workgroup
  int tile_n = 0;
  double gemm_launch_ns = 0;  ///< of each GEMM that is not in `gemms`
  /// Share of the shorter side of the roofline that such a GEMM does not hide behind the longer.
  double gemm_serial = 0;
  double late_share = 0;  ///< of the units: what a kernel launched behind another is granted
  /// How late a lane sees a flag of its own rank while a kernel or task runs there.
  double flag_ns = 0;
  double dma_launch_ns = 0;   ///< launch and synchronisation of a batch of copies
  double dma_copy_ns = 0;     ///< of each copy, on its engine
  double dma_gbps = 0;        ///< of one engine
  double dma_local_gbps = 0;  ///< of one engine that copies within its device; 0: as dma_gbps
  /// How much slower a GEMM and a collective that fills the links make each other beyond what the
  /// shared resources explain, at least 1: with the collective on compute units, on DMA engines.
  double beside_kernels = 0;
  double beside_dma = 0;
  /// The same by kind of GEMM, "compute_bound" and "memory_bound"; these go before those.
  std::map<std::string, BesideCollectives> beside;
  /// Units that a kernel of a collective takes in one piece: what is free on a device beyond whole
  /// pieces is of no use to it. 0: it takes any number.
  int kernel_step = 0;
  /// Half of the times that the model was fitted to it misses by more than this share of them;
  /// what it predicts closer together it cannot tell apart. 0: not known.
  double error = 0;
  Bytes fitted_from = 0;  ///< bytes of the collectives that the model was fitted to
  Bytes fitted_to = 0;
  PowerFacts power;
  /// "compute_bound" and "memory_bound" of GEMMs, and the same with "_beside" for those beside a
  /// partition of the other units, where that differs; of collectives on compute units by their
  /// names.
  std::map<std::string, SlowdownTable> slowdown;
  std::vector<KnownGemm> gemms;  ///< no two of one shape and type

  friend bool operator==(const ModelFacts&, const ModelFacts&) = default;
};

struct Machine {
  std::string name;
  std::string backend;  ///< "host", "cuda" or "hsa"
  int devices = 0;
  DeviceFacts device;
  LinkFacts link;
  ModelFacts model;
  std::map<std::string, CollectiveFacts> baseline;  ///< by collective name: "all_gather", ...
  /// Where each figure comes from, by dotted field name ("link.peer_gbps"). A file must give a
  /// source for every figure; a probed machine says "probed".
  std::map<std::string, std::string> sources;
  /// What else was found out, for people: cores, BLAS kernel, driver version, ...
  std::map<std::string, std::string> notes;

  friend bool operator==(const Machine&, const Machine&) = default;
};

/// The entry of `model.gemms` for exactly this shape and type, or null.
[[nodiscard]] const KnownGemm* known_gemm(const ModelFacts& model, const GemmSpec& gemm);

/// The name in `Machine::sources` of such an entry: "model.gemm.8192x8192x28672.bf16".
[[nodiscard]] std::string source_field(const GemmSpec& gemm);

/// Reads a machine file. `name` is what errors call it. Throws InputError with line and column for
/// anything malformed: bad TOML, an unknown field, a wrong type, a unit that is not known, a figure
/// without a source, a negative or zero count, a GEMM that is there twice, figures of the model
/// that contradict each other.
[[nodiscard]] Machine parse_machine(std::string_view toml, std::string_view name);

/// Reads the file at `path`; InputError when it cannot be read.
[[nodiscard]] Machine load_machine(const std::string& path);

/// The machine with figures changed. Each of `settings` is FIELD=VALUE, both as in a machine file:
/// "device.dma_engines=28", "link.peer_bandwidth=100 GB/s"; the figure's source is then "set".
/// Throws InputError as `parse_machine`, and for what has no "=".
[[nodiscard]] Machine with_settings(const Machine& machine, std::span<const std::string> settings);

/// The inverse of `parse_machine`; what is zero is left out. Throws InputError for what a file may
/// not hold: a figure without a source, a baseline whose bytes cost nothing, a known GEMM that
/// takes no time. The sources of a baseline are "baseline.all_gather.cost.fixed_ns",
/// "...cost.ns_per_byte", "...compute_units".
[[nodiscard]] std::string to_toml(const Machine& machine);

}  // namespace conccl
