// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// One rank's side of a communicator.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "comm/captured_flags.hpp"
#include "comm/carrier_choice.hpp"
#include "comm/plan_cache.hpp"
#include "comm/session.hpp"
#include "conccl/comm/communicator.hpp"

namespace conccl::comm {

/// A window as this rank sees it: its own and its peers' addresses.
struct RegisteredWindow {
  std::byte* own = nullptr;
  Bytes bytes = 0;
  std::uint64_t allocation = 0;   ///< that `own` lay in when it was registered; 0: not known
  std::uint64_t number = 0;       ///< of the host call that registered it: the same on every rank
  std::vector<std::byte*> bases;  ///< by rank; empty until every rank has registered, and after
                                  ///< deregistration
  std::vector<std::shared_ptr<void>> kept;  ///< memory freed meanwhile stays in place
};

/// Memory that calls up to `last` may still touch, and that peers may not yet have mapped which
/// have not taken the host call `named_in`.
struct InUse {
  std::uint64_t last = 0;
  std::vector<std::shared_ptr<void>> memory;
  std::uint64_t named_in = 0;
};

/// What a call asks for, checked and described; not yet known to the peers.
struct PreparedCall {
  plan::Request request;
  Post post;
  const plan::RankPlan* lanes = nullptr;  ///< the caller's plan; null: `method` from the cache
  plan::Method method;
  std::span<backend::Task* const> tasks;
  std::span<backend::LaneTimes> times;
  backend::Queue* stream = nullptr;
  std::uint64_t sequence = 0;  ///< given when posted
  bool captured = false;       ///< into a graph; then `sequence` counts what is said on the host
  FlagSet flags;               ///< of a captured call
};

/// What a rank says of a captured call; plain data.
struct CapturePost {
  Post call;
  backend::FlagBlock* block = nullptr;  ///< of its flags, in the poster's own process
  Location memory;                      ///< where other processes find them
  int first = 0;                        ///< of its set in the block
};

class Communicator::State {
 public:
  /// `method`: how the device's DMA engines carry a collective. `machine`: null where not known.
  State(std::shared_ptr<Session> shared, int rank, backend::Device& device,
        const plan::Method& method, std::shared_ptr<const Machine> machine);
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void tell(const std::optional<GemmSpec>& gemm) { choice_.tell(gemm, session_->ranks()); }

  [[nodiscard]] PreparedCall prepare(plan::Collective collective, const void* send, void* recv,
                                     std::uint64_t count, DataType type);
  [[nodiscard]] PreparedCall prepare(const PlanCall& call);
  /// Steps of a call: see that its buffers do not leave their windows, and whether it is captured;
  /// tell the peers; then, when all have come, enqueue.
  void check(PreparedCall& call) const;
  void post(PreparedCall& call);
  void launch(const PreparedCall& call);

  /// The id the next window will get here. Peers know it by the number of its registration.
  [[nodiscard]] int reserve_window() { return static_cast<int>(reserved_++); }
  void check_window(void* data, Bytes bytes) const;
  void add_window(int id, void* data, Bytes bytes);
  void finish_window(int id);
  void drop_window(int id);
  /// Where `rank`'s buffer of a window is mapped here.
  [[nodiscard]] std::byte* base_of(int id, int rank) const;
  /// A call or registration that the peers know of will not be finished.
  void fail_call(std::uint64_t sequence, const std::string& why);
  void fail_registration(int id, const std::string& why);

  [[nodiscard]] std::vector<HostPost> exchange(const HostPost& post);
  [[nodiscard]] std::vector<backend::FlagBlock*> shared_flags(int count);

  [[nodiscard]] Session& session() const { return *session_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] backend::Device& device() const { return device_; }
  [[nodiscard]] const Statistics& statistics() const { return statistics_; }

 private:
  /// Tells the peers, giving the call's number.
  [[nodiscard]] std::uint64_t post_host(const HostPost& post);
  [[nodiscard]] bool in_window(const std::byte* address, Bytes bytes) const;
  [[nodiscard]] Location locate(std::byte* address, Bytes bytes, std::string_view what) const;
  void check_unchanged(const RegisteredWindow& window, std::string_view what) const;
  /// So that peers find the `bytes` at the location.
  void announce(Location& location, Bytes bytes);
  [[nodiscard]] bool windowed(const PreparedCall& call) const;
  /// By rank; good until the next call.
  [[nodiscard]] std::span<const backend::RankBuffers> bind(const PreparedCall& call);
  [[nodiscard]] const RegisteredWindow* window_at(const Location& location) const;
  /// `location`: in `window`, or of the peer's own buffer when `window` is null.
  [[nodiscard]] std::byte* peer_address(const RegisteredWindow* window, const Location& location,
                                        int peer, Bytes bytes);
  [[nodiscard]] backend::Memory peer_memory(const Location& theirs, int peer, Bytes bytes);
  void enqueue(const PreparedCall& call);
  void let_go();
  void require_window(int id) const;
  void check_capture(const PreparedCall& call) const;
  void post_capture(PreparedCall& call);
  void capture(const PreparedCall& call);
  /// The block that a peer's post names.
  [[nodiscard]] backend::FlagBlock& block_of(const CapturePost& theirs, int peer);
  /// What must stay in place while a graph may touch the call's windows.
  [[nodiscard]] std::vector<std::shared_ptr<void>> window_memory(const PreparedCall& call) const;
  void take_host(std::uint64_t sequence);
  [[nodiscard]] plan::Method choose_method(const plan::Request& request);
  [[nodiscard]] plan::Form choose_form(const plan::Request& request);
  void log_choice(std::string_view what) const;
  void check_buffers(const PreparedCall& call) const;
  [[nodiscard]] backend::Reach reach() const {
    return session_->peers() == nullptr ? backend::Reach::in_process
                                        : backend::Reach::between_processes;
  }
  [[nodiscard]] bool stream_has_passed() const;

  std::shared_ptr<Session> session_;
  int rank_;
  backend::Device& device_;
  plan::Method dma_method_;
  CarrierChoice choice_;
  backend::Executor executor_;
  PlanCache plans_;
  std::vector<RegisteredWindow> windows_;
  std::size_t reserved_ = 0;
  std::uint64_t host_calls_ = 0;
  std::uint64_t host_taken_ = 0;                 ///< by this rank
  std::vector<backend::RankBuffers> bound_;      ///< of the call being launched
  std::vector<std::shared_ptr<void>> borrowed_;  ///< peers' memory of the call being bound
  std::deque<InUse> in_use_;                     ///< ascending
  CapturedFlags captured_;
  /// Peers' blocks of captured flags, by rank and allocation.
  std::map<std::pair<int, std::uint64_t>, backend::FlagBlock*> peer_blocks_;
  std::uint64_t calls_ = 0;
  std::uint64_t launched_ = 0;  ///< the last call that reached a stream
  const backend::Queue* last_stream_ = nullptr;
  Statistics statistics_;
};

}  // namespace conccl::comm
