// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What a machine's devices share, as rates. 1 GB/s is one byte per nanosecond.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "conccl/core/machine.hpp"
#include "conccl/plan/request.hpp"

namespace conccl::c3 {

/// Everything that limits by bytes. `pair` is the way from one device to one other.
enum class ResourceKind : std::uint8_t { memory, cache, link_out, link_in, pair, engine };

/// `device` and, where the kind has one, the other device or the number of the engine.
struct Resource {
  ResourceKind kind = ResourceKind::memory;
  int device = 0;
  int other = 0;

  friend auto operator<=>(const Resource&, const Resource&) = default;
};

/// A part of a resource, 1 being all of it.
struct Use {
  int resource = 0;
  double share = 0;
};

/// The machine's rates. Throws InputError when the machine has no `model` section.
class System {
 public:
  explicit System(const Machine& machine);

  [[nodiscard]] const Machine& machine() const { return machine_; }
  [[nodiscard]] const ModelFacts& model() const { return machine_.model; }
  [[nodiscard]] int units() const { return machine_.device.compute_units; }
  /// In bytes per nanosecond; 0: not limited.
  [[nodiscard]] double rate(ResourceKind kind) const;
  /// Bytes per nanosecond that the vendor's kernels bring out of a device; 0: not limited.
  [[nodiscard]] double kernel_rate(plan::Collective collective) const;
  [[nodiscard]] const CollectiveFacts& kernels(plan::Collective collective) const;
  /// Throws InputError when the machine file has none.
  [[nodiscard]] const SlowdownTable& slowdown(std::string_view name) const;
  /// Of tasks of no known kind: the machine's own factors, both ways.
  [[nodiscard]] BesideFacts beside_any() const;

 private:
  const Machine& machine_;
};

/// Alone, by its table, which must not be empty: linear between points, and beyond the
/// last at its rate.
[[nodiscard]] double time_of(const CollectiveFacts& facts, Bytes bytes);

/// Numbers resources in the order of their first use.
class ResourceIndex {
 public:
  [[nodiscard]] int number_of(const Resource& resource);
  [[nodiscard]] int size() const { return static_cast<int>(numbers_.size()); }

 private:
  std::map<Resource, int> numbers_;
};

}  // namespace conccl::c3
