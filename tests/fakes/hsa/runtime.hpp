// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// What lives from the first hsa_init to the last hsa_shut_down.
#pragma once

#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

#include "tests/fakes/hsa/code.hpp"
#include "tests/fakes/hsa/engines.hpp"
#include "tests/fakes/hsa/exports.hpp"
#include "tests/fakes/hsa/memory.hpp"
#include "tests/fakes/hsa/queues.hpp"
#include "tests/fakes/hsa/settings.hpp"
#include "tests/fakes/hsa/topology.hpp"

namespace conccl::test::fake_hsa {

/// What the control interface tells; a shut-down leaves them as they are, hsa_init starts anew.
struct Counters {
  std::atomic<std::int64_t> copies{0};     ///< accepted, on whatever runs them
  std::atomic<std::int64_t> cu_copies{0};  ///< of these, by a kernel of the runtime's
  std::atomic<std::int64_t> bytes{0};      ///< that arrived
  std::atomic<std::int64_t> kernels{0};    ///< that ran to their end
  // Alive:
  std::atomic<std::int64_t> running{0};  ///< copies accepted and not ended
  std::atomic<std::int64_t> signals{0};
  std::atomic<std::int64_t> allocations{0};
  std::atomic<std::int64_t> imports{0};
  std::atomic<std::int64_t> locked{0};
  std::atomic<std::int64_t> queues{0};

  /// Of what has happened, not of what is alive.
  void forget();
  void clear();
};
[[nodiscard]] Counters& counters();

class SystemEvents {
 public:
  using Handler = hsa_status_t (*)(const hsa_amd_event_t* event, void* data);
  void add(Handler handler, void* data);
  /// A memory fault of a GPU. Aborts as the runtime does when no handler takes it.
  void raise_memory_fault(hsa_agent_t agent, const void* address);

 private:
  std::mutex mutex_;
  std::vector<std::pair<Handler, void*>> handlers_;
};

/// Signals whose copies have ended without a word.
class Lost {
 public:
  void add(Signal& completion);
  /// They complete after all.
  void find();

 private:
  std::mutex mutex_;
  std::vector<Signal*> completions_;
};

/// Variables of the real runtime that change how copies run, read by hsa_init.
struct Variables {
  bool sdma = true;             ///< HSA_ENABLE_SDMA
  bool peer_sdma = true;        ///< HSA_ENABLE_PEER_SDMA
  bool reverse_copies = false;  ///< HSA_REV_COPY_DIR
  bool recommended = true;      ///< HSA_ENABLE_SDMA_RECOMMENDED_ENG
};

struct Runtime {
  Runtime();

  Topology topology;
  Variables variables;
  SystemEvents events;
  Memory memory;
  CodeObjects code;
  std::atomic<bool> time_copies{false};
  Lost lost;
  Engines engines;
  Queues queues;
};

/// Null unless initialised, by this process itself.
[[nodiscard]] Runtime* runtime();
/// The one of the last hsa_init, shut down or not; null when there was none.
[[nodiscard]] Runtime* last_runtime();

}  // namespace conccl::test::fake_hsa
