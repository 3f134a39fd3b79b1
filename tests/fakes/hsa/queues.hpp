// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The queues that exist, by what the caller holds of them.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "tests/fakes/hsa/queue.hpp"

namespace conccl::test::fake_hsa {

class Queues {
 public:
  [[nodiscard]] hsa_queue_t* add(std::shared_ptr<Queue> queue);
  /// Null: there is none.
  [[nodiscard]] std::shared_ptr<Queue> find(const hsa_queue_t* handle);
  /// The nth in the order they were made; null when it is gone.
  [[nodiscard]] std::shared_ptr<Queue> find(std::int64_t nth);
  [[nodiscard]] std::shared_ptr<Queue> remove(const hsa_queue_t* handle);
  void stop();

 private:
  std::mutex mutex_;
  std::int64_t made_ = 0;
  std::map<const hsa_queue_t*, std::shared_ptr<Queue>> queues_;
  std::map<std::int64_t, std::weak_ptr<Queue>> in_order_;
};

}  // namespace conccl::test::fake_hsa
