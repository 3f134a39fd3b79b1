// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The peers of a study on the buffers of one workload.
#pragma once

#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "bench/peers/peers.hpp"
#include "bench/workload.hpp"

namespace conccl::bench {

/// Owns the tasks that run the peers' collectives, and gives them to the workload.
class AttachedPeers {
 public:
  /// Collective: attaches every peer and runs its collective once, so the buffers' contents are
  /// undefined then. Both must outlive the object. Throws RunError.
  AttachedPeers(Peers& peers, Workload& workload);
  /// Detaches, unless that was done.
  ~AttachedPeers();
  AttachedPeers(const AttachedPeers&) = delete;
  AttachedPeers& operator=(const AttachedPeers&) = delete;

  /// The peer's collective alone on all ranks, held to `ctas` thread blocks (0: to none). Throws
  /// InputError for a carrier or a limit that is not there.
  [[nodiscard]] Configuration alone(c3::Carrier carrier, int ctas = 0) const;
  /// A strategy, whoever carries it. Throws as `alone` and `c3::c3_plan`.
  [[nodiscard]] Configuration together(const c3::C3Request& request) const;

  /// Throws RunError when a peer has noticed a failure meanwhile.
  void detach();

 private:
  /// Has plans that c3 made for the carrier run its collective.
  void bind(std::vector<plan::RankPlan>& plans, c3::Carrier carrier, int ctas) const;
  void attach(c3::Carrier carrier, Peer& peer);
  void add_task(c3::Carrier carrier, Peer& peer, int ctas);

  Peers& peers_;
  Workload& workload_;
  std::vector<Peer*> attached_;
  std::vector<std::unique_ptr<backend::Task>> tasks_;
  std::map<std::pair<c3::Carrier, int>, int> indices_;  ///< among the workload's tasks
};

}  // namespace conccl::bench
