// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The words of the JSON form of a plan: one table for the writer and the reader.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "conccl/plan/plan.hpp"

namespace conccl::plan::json_names {

template <typename Value, std::size_t kCount>
struct Names {
  std::array<std::pair<Value, std::string_view>, kCount> entries;

  [[nodiscard]] constexpr std::string_view name(Value value) const {
    for (const auto& [known, text] : entries) {
      if (known == value) return text;
    }
    return "unknown";
  }
};

inline constexpr Names<BufferKind, 3> kBuffers{
    {{{BufferKind::send, "send"}, {BufferKind::recv, "recv"}, {BufferKind::scratch, "scratch"}}}};
inline constexpr Names<Engine, 2> kEngines{{{{Engine::dma, "dma"}, {Engine::compute, "compute"}}}};
inline constexpr Names<Share::Kind, 3> kShares{
    {{{Share::Kind::all, "all"}, {Share::Kind::only, "only"}, {Share::Kind::all_but, "all_but"}}}};
inline constexpr Names<Priority, 2> kPriorities{
    {{{Priority::normal, "normal"}, {Priority::high, "high"}}}};
inline constexpr Names<Placement, 2> kPlacements{
    {{{Placement::out_of_place, "out_of_place"}, {Placement::in_place, "in_place"}}}};

}  // namespace conccl::plan::json_names
