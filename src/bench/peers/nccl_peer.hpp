// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// NCCL as a peer: its kernels, and its copy-engine mode.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/peers/gpu_site.hpp"
#include "bench/peers/nccl_communicator.hpp"
#include "bench/peers/peer.hpp"
#include "bench/ranks.hpp"

namespace conccl::bench {

/// What both need: ranks as processes, the library, and where to call it.
struct NcclSetting {
  Ranks* ranks = nullptr;
  std::shared_ptr<const nccl::Api> api;
  GpuSite site;
  BoundedCaller caller;
};

/// What both share. The ranks must outlive it.
class NcclPeer : public Peer {
 public:
  ~NcclPeer() override = default;

  [[nodiscard]] const PeerFacts& facts() const override { return facts_; }
  [[nodiscard]] std::vector<int> cta_limits() const override;
  void attach(const PeerBuffers& buffers) override;
  void detach() override;
  void prepare(const plan::Request& request) override;
  [[nodiscard]] std::unique_ptr<backend::Task> make_collective(const plan::Request& request,
                                                               int ctas) override;
  void give_up() noexcept override;

 protected:
  NcclPeer(NcclSetting setting, std::string name);

  /// Runs a constructor's work; a failure ends what there is of the peer on the way.
  void or_give_up(const std::function<void()>& set_up);
  /// Collective. `max_ctas` 0: NCCL's choice.
  void add_communicator(int max_ctas, int policy);
  void add_note(std::string note) { facts_.notes.push_back(std::move(note)); }
  [[nodiscard]] nccl::Communicator& communicator(int ctas) const;
  [[nodiscard]] const NcclSetting& setting() const { return setting_; }
  [[nodiscard]] nccl::Buffers buffers() const { return {buffers_.send, buffers_.recv}; }

 private:
  NcclSetting setting_;
  PeerFacts facts_;
  PeerBuffers buffers_;
  std::vector<std::unique_ptr<nccl::Communicator>> communicators_;  ///< by limit, ascending
};

/// Its kernels, on buffers that it knows nothing of beforehand; one communicator per limit.
class NcclKernels final : public NcclPeer {
 public:
  /// Collective. Throws RunError.
  explicit NcclKernels(NcclSetting setting);
};

/// Its copy-engine mode: symmetric windows over the buffers, and the policy of no thread blocks.
class NcclCopies final : public NcclPeer {
 public:
  /// Collective. Runs small collectives and looks at what NCCL enqueues for them. Throws
  /// Unavailable with what it saw when those are kernels, RunError.
  explicit NcclCopies(NcclSetting setting);

  void attach(const PeerBuffers& buffers) override;
  void detach() override;
  void give_up() noexcept override;

 private:
  void try_out();
  void look_at(const plan::Request& request);

  std::vector<nccl::Window> windows_;
};

}  // namespace conccl::bench
