// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Bytes that works put on the machine's resources.
#pragma once

#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "c3/model/system.hpp"
#include "conccl/plan/plan.hpp"

namespace conccl::c3 {

/// Bytes on each resource.
using Load = std::map<Resource, double>;

/// How much of a device's links a work fills at rate 1.
struct LinkFill {
  int device = 0;
  double share = 0;
  double within = 0;  ///< the same for the bytes that stay on the device, as if they left it
};

/// How many copies of a rank read each place. They run side by side, so that the last-level cache
/// answers all but the first.
class Readers {
 public:
  explicit Readers(const plan::RankPlan& rank);
  [[nodiscard]] int of(const plan::Copy& copy) const { return counts_.at(key_of(copy)); }

 private:
  using Key = std::tuple<int, plan::BufferKind, Bytes>;
  [[nodiscard]] static Key key_of(const plan::Copy& copy) {
    return {copy.src.rank, copy.src.buffer, copy.src.offset};
  }

  std::map<Key, int> counts_;
};

/// Of these copies, what goes to or comes from another rank.
[[nodiscard]] double bytes_to_peers(std::span<const plan::Step> copies);

/// Turns bytes into shares of resources. Where rank 0 stands for all ranks, what it does to rank d
/// is what rank -d does to it: all resources are its own.
class Loads {
 public:
  /// `mirrored_ranks`: how many ranks rank 0 stands for, or 0. `system` must outlive it.
  Loads(const System& system, int mirrored_ranks)
      : system_(system), mirrored_ranks_(mirrored_ranks) {}

  [[nodiscard]] Resource resource(ResourceKind kind, int device, int other = 0) const;
  [[nodiscard]] Load of(std::span<const plan::Step> copies, const Readers& readers) const;
  /// The busiest resource's time, at least 1 ns.
  [[nodiscard]] double time_of(const Load& load) const;
  /// What a work that takes `alone_ns` uses of each resource while it runs.
  [[nodiscard]] std::vector<Use> uses(const Load& load, double alone_ns);
  /// Half for what leaves a device, half for what reaches one, so that full links both ways are 1.
  /// Nothing where no byte goes to a peer.
  [[nodiscard]] std::vector<LinkFill> fills(std::span<const plan::Step> copies,
                                            double alone_ns) const;
  /// So many have been named in uses.
  [[nodiscard]] int resources() const { return index_.size(); }

 private:
  [[nodiscard]] int device_of(int rank) const { return mirrored_ranks_ > 0 ? 0 : rank; }

  const System& system_;
  int mirrored_ranks_;
  ResourceIndex index_;
};

}  // namespace conccl::c3
