// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Every engine of every GPU, and which of them a copy may use.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "tests/fakes/hsa/engine.hpp"

namespace conccl::test::fake_hsa {

class Engines {
 public:
  explicit Engines(Runtime& runtime) : runtime_(runtime) {}

  /// Made at its first use, and its thread with it.
  [[nodiscard]] Engine& get(const Agent& gpu, int id);
  [[nodiscard]] bool idle(const Agent& gpu, int id);
  [[nodiscard]] std::int64_t copies(int gpu, int id);
  void stop();

 private:
  Runtime& runtime_;
  std::mutex mutex_;
  std::map<std::pair<int, int>, std::unique_ptr<Engine>> engines_;
};

/// The ids that a copy between the two may ask for, bits as in the interface.
struct EngineIds {
  std::uint32_t usual = 0;      ///< what the status call tells of
  std::uint32_t preferred = 0;  ///< 0: none
};
[[nodiscard]] EngineIds engine_ids(const Runtime& runtime, const Agent& dst, const Agent& src);

}  // namespace conccl::test::fake_hsa
