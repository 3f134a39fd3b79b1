// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Memory, signals and copies of one row.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "backend/hsa/conformance/session.hpp"

namespace conccl::backend::hsa::conformance {

/// Memory of a GPU or of the host.
struct Block {
  std::byte* at = nullptr;
  Bytes bytes = 0;
  int place = kHost;
};

/// A copy as it is given to the runtime. The agents are those named, whoever has the memory.
struct Transfer {
  std::byte* dst = nullptr;
  int dst_agent = kHost;
  const std::byte* src = nullptr;
  int src_agent = kHost;
  Bytes bytes = 0;
  std::uint32_t engine = 0;
  std::vector<abi::hsa_signal_t> after;
  bool force_engine = true;
};

/// How long something that should stay as it is is looked at.
inline constexpr std::chrono::milliseconds kQuiet{100};

/// Every wait has the session's deadline. At its end it opens the gates, waits for the copies and
/// gives all back; where copies do not end, it leaves all of it behind.
class Scene {
 public:
  explicit Scene(Session& session) : session_(session) {}
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  /// Reachable by all GPUs.
  [[nodiscard]] Block block(int place, Bytes bytes);
  /// Reachable by its owner alone.
  [[nodiscard]] Block private_block(int place, Bytes bytes);
  void free(const Block& block);
  void fill(const Block& block, std::span<const std::byte> bytes);
  [[nodiscard]] std::vector<std::byte> read(const Block& block);
  /// The same by the engines of a GPU that need not be the owner.
  void fill_by(int gpu, const Block& block, std::span<const std::byte> bytes);
  [[nodiscard]] std::vector<std::byte> read_by(int gpu, const Block& block);
  /// A block filled with random bytes of a seed.
  [[nodiscard]] Block random_block(int place, Bytes bytes, unsigned seed);

  [[nodiscard]] abi::hsa_signal_t signal(abi::hsa_signal_value_t preset);
  /// A dependency that is not met until it is opened.
  [[nodiscard]] abi::hsa_signal_t gate();
  void set(abi::hsa_signal_t signal, abi::hsa_signal_value_t value);
  [[nodiscard]] abi::hsa_signal_value_t load(abi::hsa_signal_t signal) const;

  /// All of `src` to the start of `dst`, by the engine that the backend would choose.
  [[nodiscard]] Transfer transfer(const Block& dst, const Block& src) const;
  /// One copy that decrements `completion`; whatever the runtime answers.
  abi::hsa_status_t submit(const Transfer& transfer, abi::hsa_signal_t completion);
  /// The runtime must accept it. Returns a signal that the copy takes from 1 to 0.
  [[nodiscard]] abi::hsa_signal_t start(const Transfer& transfer);
  void finish(abi::hsa_signal_t completion, abi::hsa_signal_value_t expected = 0);
  void copy(const Transfer& transfer) { finish(start(transfer)); }
  /// Copies that other calls put into the queues: `count` decrements are awaited at the end.
  void note(abi::hsa_signal_t completion, int count);

  /// Throws Differs when the signal gets another value while it is looked at.
  void expect_still(abi::hsa_signal_t signal, abi::hsa_signal_value_t value, const char* why);
  /// Throws Differs when this is not so within the deadline.
  void expect_soon(const std::function<bool()>& so, const std::string& expected,
                   const std::function<std::string()>& found);

  [[nodiscard]] Session& session() const { return session_; }

 private:
  struct Tracked {
    abi::hsa_signal_t signal;
    abi::hsa_signal_value_t last = 0;  ///< of the signal, once its copies have ended
    bool runs = false;
    bool gate = false;
  };
  Tracked& tracked(abi::hsa_signal_t signal);
  [[nodiscard]] bool all_ended() const;
  [[nodiscard]] bool end_copies();

  Session& session_;
  std::vector<Block> blocks_;
  std::vector<Tracked> signals_;
};

}  // namespace conccl::backend::hsa::conformance
