// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/peers/bounded_caller.hpp"

#include <fmt/format.h>

#include <future>
#include <memory>

#include "conccl/core/errors.hpp"
#include "conccl/core/quiet_thread.hpp"

namespace conccl::bench {

void BoundedCaller::operator()(const std::string& what, std::function<void()> call) const {
  auto work =
      std::make_shared<std::packaged_task<void()>>([before = enter, inner = std::move(call)] {
        if (before) before();
        inner();
      });
  auto done = work->get_future();
  start_quiet_thread("peer", [work] { (*work)(); }).detach();
  if (done.wait_for(limit) != std::future_status::ready) {
    throw RunError(fmt::format("{}: not done after {} ms", what, limit.count()));
  }
  done.get();
}

}  // namespace conccl::bench
