// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Peer`: collectives of another library, run beside ours in the same rounds.
#pragma once

#include <memory>
#include <vector>

#include "conccl/backend/queue.hpp"
#include "conccl/bench/report.hpp"
#include "conccl/plan/request.hpp"

namespace conccl::bench {

/// A rank's buffers; `send` is null where collectives are in place. Not an owner.
struct PeerBuffers {
  void* send = nullptr;
  Bytes send_bytes = 0;
  void* recv = nullptr;
  Bytes recv_bytes = 0;
};

/// One way in which a library carries collectives, on the one rank of this process. Every process
/// of a run makes the same calls in the same order; for one thread at a time.
class Peer {
 public:
  virtual ~Peer() = default;

  /// Name, version and what there is to know of how it runs.
  [[nodiscard]] virtual const PeerFacts& facts() const = 0;
  /// Thread blocks that a collective can be held to, ascending.
  [[nodiscard]] virtual std::vector<int> cta_limits() const = 0;

  /// Collective: the buffers of the collectives to come, which must outlive `detach`. Throws
  /// RunError.
  virtual void attach(const PeerBuffers& buffers) = 0;
  /// Throws RunError when the library has noticed a failure meanwhile.
  virtual void detach() = 0;
  /// Collective: runs `request` once under every limit, so that what is set up at a first time is
  /// set up before streams are held back. The buffers' contents are then undefined.
  virtual void prepare(const plan::Request& request) = 0;
  /// A task that enqueues one collective that was prepared, held to at most `ctas` thread blocks
  /// (one of the limits; 0: the library's choice). It must not outlive the peer.
  [[nodiscard]] virtual std::unique_ptr<backend::Task> make_collective(const plan::Request& request,
                                                                       int ctas) = 0;

  /// After a failure: lets go of kernels that wait for other ranks. The peer is of no use then.
  virtual void give_up() noexcept = 0;
};

}  // namespace conccl::bench
