// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `CopyBatch`: copies on SDMA engines, from being handed over until all have ended.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/hsa/reach.hpp"
#include "backend/hsa/span_log.hpp"
#include "backend/threaded/launcher.hpp"

namespace conccl::backend::hsa {

/// Whose copies they are.
struct CopySite {
  std::shared_ptr<Runtime> runtime;
  int gpu = 0;  ///< the queue's; its engines carry what it sends and what it fetches
  std::shared_ptr<SpanLog> log;
  std::string label;
};

/// Each copy has a signal of its own: an error of one then says nothing of the others, which are
/// waited for. What they read and write stays alive until they have ended, however late. For one
/// thread.
class CopyBatch {
 public:
  /// `site` must outlive it.
  explicit CopyBatch(const CopySite& site) : site_(site) {}
  /// What was not finished keeps what it uses until it has ended.
  ~CopyBatch();
  CopyBatch(const CopyBatch&) = delete;
  CopyBatch& operator=(const CopyBatch&) = delete;

  /// Hands copies over whose turn has come: one that an engine had to hold back would hold up all
  /// others there, of whatever collective, and ranks could wait for one another for good. Throws
  /// what `reach` throws before any is handed over; a later error is thrown by `finish`.
  void submit(std::span<const threaded::Op> copies);
  /// Waits for all of them. Throws threaded::DeviceFailed with the first thing that went wrong,
  /// which is declared the GPU's failure.
  void finish();

 private:
  /// The agents are named so that this GPU runs the copy.
  struct Route {
    Reached dst;
    Reached src;
    int engine = 0;
  };
  struct Copy {
    threaded::CopyOp op;
    InFlight in_flight;
    Route way;
    int from_gpu = -1;
    Nanoseconds submitted{};
  };

  [[nodiscard]] Copy prepare(const threaded::CopyOp& copy) const;
  [[nodiscard]] Route route(const Reached& dst, const Reached& src) const;
  [[nodiscard]] bool as_one_call(const Copy& copy) const;
  void hand_over_one_by_one(std::span<Copy> prepared);
  void hand_over_as_one(std::span<Copy> prepared);
  [[nodiscard]] std::string name_of(const Copy& copy) const;
  void finish_one(Copy& copy, std::chrono::steady_clock::time_point until);
  void record(const Copy& copy) const;
  void fail(const std::string& what);

  const CopySite& site_;
  std::vector<Copy> copies_;
  std::string failure_;  ///< empty: none
};

}  // namespace conccl::backend::hsa
