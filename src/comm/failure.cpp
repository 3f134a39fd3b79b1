// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/failure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "conccl/core/errors.hpp"
#include "conccl/core/log.hpp"

namespace conccl::comm {

Failure::Failure(std::span<const Area> areas, int rank, std::string communicator)
    : areas_(areas), rank_(rank), communicator_(std::move(communicator)) {}

void Failure::releases(backend::FlagBlock& block) {
  const std::lock_guard lock(mutex_);
  blocks_.push_back(&block);
  if (released_) block.poison();
}

void Failure::declare(const std::string& reason) {
  const std::lock_guard lock(mutex_);
  auto& failed_by = areas_[0]->failed_by;
  if (failed_by.load(std::memory_order_acquire) == 0) {
    auto& text = areas_[static_cast<std::size_t>(rank_)]->reason;
    const std::size_t length = std::min(reason.size(), text.size() - 1);
    std::memcpy(text.data(), reason.data(), length);
    text[length] = '\0';
    // The text comes first: whoever sees the mark may read it, even if this process is killed now.
    std::uint32_t nobody = 0;
    failed_by.compare_exchange_strong(nobody, static_cast<std::uint32_t>(rank_) + 1,
                                      std::memory_order_acq_rel);
  }
  release_waits();
}

void Failure::adopt() {
  if (areas_[0]->failed_by.load(std::memory_order_acquire) == 0) return;
  const std::lock_guard lock(mutex_);
  release_waits();
}

void Failure::release_again() {
  const std::lock_guard lock(mutex_);
  if (!released_) return;
  for (auto* block : blocks_) block->poison();
}

void Failure::release_waits() {
  if (std::exchange(released_, true)) return;
  log(LogLevel::warning, reason().value_or(""));
  for (const auto& area : areas_) area.words().poison();
  for (auto* block : blocks_) block->poison();
}

std::optional<std::string> Failure::reason() const {
  const std::uint32_t mark = areas_[0]->failed_by.load(std::memory_order_acquire);
  if (mark == 0) return std::nullopt;
  // The mark comes from another process: it is not trusted to name a rank.
  const std::size_t rank = std::min<std::size_t>(mark, areas_.size()) - 1;
  const auto& text = areas_[rank]->reason;
  const std::string_view whole(text.data(), text.size());
  return fmt::format("communicator '{}': {}", communicator_, whole.substr(0, whole.find('\0')));
}

void Failure::require_none() const {
  if (const auto why = reason()) throw RunError(*why);
}

}  // namespace conccl::comm
