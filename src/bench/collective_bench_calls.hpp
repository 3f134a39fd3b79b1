// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What `conccl bench` times: calls of one collective by ours, a peer, or bare copies.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bench/peers/peer.hpp"
#include "bench/ranks.hpp"
#include "conccl/bench/collective_bench.hpp"

namespace conccl::bench {

/// The buffers of the local ranks. Owns them; windows last as long as the communicators.
class BenchBuffers {
 public:
  enum class Kind { windows, ordinary };

  /// Collective for windows. For requests up to `largest`; `ranks` must outlive the object.
  BenchBuffers(Ranks& ranks, const plan::Request& largest, Kind kind);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] const backend::Memory& send(std::size_t local) const { return send_[local]; }
  [[nodiscard]] const backend::Memory& recv(std::size_t local) const { return recv_[local]; }
  /// Where a local rank's input lies, in place or not.
  [[nodiscard]] std::byte* input(std::size_t local, const plan::Request& request) const;
  /// The same and the output of any rank, as a local one reaches them. Windows only.
  [[nodiscard]] std::byte* input_of(std::size_t local, int rank,
                                    const plan::Request& request) const;
  [[nodiscard]] std::byte* output_of(std::size_t local, int rank) const;

 private:
  Ranks& ranks_;
  Kind kind_;
  std::vector<backend::Memory> send_;
  std::vector<backend::Memory> recv_;
  std::vector<comm::Window> send_windows_;
  std::vector<comm::Window> recv_windows_;
};

/// One collective on the local ranks, made again and again. Every process of a run makes the same
/// calls. It must not outlive the library it is of.
class Call {
 public:
  virtual ~Call() = default;
  /// Enqueues it once for every local rank, and submits.
  virtual void enqueue() = 0;
  /// What it is enqueued on.
  [[nodiscard]] virtual backend::Queue& queue(std::size_t local) const = 0;
  /// Waits until all of it has run. Throws RunError when it does not within the deadline.
  virtual void synchronize() = 0;
  /// `collective`: its end on a rank means that the rank's whole output is there. `bare`: only that
  /// the rank's own copies are done, which leave out the own block.
  enum class Kind { collective, bare };
  [[nodiscard]] virtual Kind kind() const { return Kind::collective; }
};

/// Who makes calls.
class Library {
 public:
  virtual ~Library() = default;
  [[nodiscard]] virtual const std::string& name() const = 0;
  /// Collective; the buffers' contents are undefined then.
  [[nodiscard]] virtual std::unique_ptr<Call> make_call(const plan::Request& request) = 0;
};

/// Ours. All arguments must outlive what is made of them.
[[nodiscard]] std::unique_ptr<Library> make_own_library(Ranks& ranks, const BenchBuffers& buffers,
                                                        DataType type);
/// A peer, attached to the buffers of this process's one rank, and detached at the end. Collective.
[[nodiscard]] std::unique_ptr<Library> make_peer_library(Ranks& ranks, const BenchBuffers& buffers,
                                                         Peer& peer);
/// Copies of what the collective moves between ranks, both ways at once, on DMA engines.
[[nodiscard]] std::unique_ptr<Library> make_bare_copies(Ranks& ranks, const BenchBuffers& buffers,
                                                        const CollectiveBenchOptions& options);

}  // namespace conccl::bench
