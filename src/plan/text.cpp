// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/plan/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <vector>

#include "conccl/core/errors.hpp"

namespace conccl::plan {
namespace {

using Out = std::back_insert_iterator<std::string>;

std::string share_text(const Share& share) {
  switch (share.kind) {
    case Share::Kind::all:
      return "all units";
    case Share::Kind::only:
      return fmt::format("{} units", share.units);
    case Share::Kind::all_but:
      return fmt::format("all but {} units", share.units);
  }
  return "unknown units";
}

std::string lane_text(const Lane& lane) {
  std::string text = fmt::format("lane {}: {}", one_line(lane.label), name_of(lane.engine));
  if (lane.engine == Engine::compute) text += fmt::format(", {}", share_text(lane.share));
  if (lane.priority == Priority::high) text += ", high priority";
  if (lane.launch_rank != 0) text += fmt::format(", launch rank {}", lane.launch_rank);
  return text;
}

std::string counted(std::size_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string request_text(const Request& request) {
  return fmt::format("{}, {}, blocks of {} bytes, {} bytes in all, {}", name_of(request.collective),
                     counted(static_cast<std::size_t>(request.ranks), "rank", "ranks"),
                     format_bytes(request.block), format_bytes(total_bytes(request)),
                     request.placement == Placement::in_place ? "in place" : "out of place");
}

struct Counts {
  std::size_t dma_lanes = 0;
  std::size_t compute_lanes = 0;
  std::size_t copies = 0;
  std::size_t signals = 0;
  std::size_t waits = 0;
  std::size_t tasks = 0;

  void operator()(const Copy&) { ++copies; }
  void operator()(const Signal&) { ++signals; }
  void operator()(const Wait&) { ++waits; }
  void operator()(const Compute&) { ++tasks; }
};

Counts count(const Plan& plan) {
  Counts counts;
  for (const auto& rank : plan.ranks) {
    for (const auto& lane : rank.lanes) {
      ++(lane.engine == Engine::dma ? counts.dma_lanes : counts.compute_lanes);
      for (const auto& step : lane.steps) std::visit(counts, step);
    }
  }
  return counts;
}

/// Bytes each rank sends, receives and moves within itself, whoever issues the copy.
struct Traffic {
  std::vector<Bytes> sent;
  std::vector<Bytes> received;
  std::vector<Bytes> own;

  explicit Traffic(std::size_t ranks) : sent(ranks), received(ranks), own(ranks) {}

  void add(const Copy& copy) {
    if (copy.src.rank == copy.dst.rank) return add(own, copy.src.rank, copy.bytes);
    add(sent, copy.src.rank, copy.bytes);
    add(received, copy.dst.rank, copy.bytes);
  }

 private:
  // A plan that nobody verified yet may name ranks that do not exist.
  static void add(std::vector<Bytes>& per_rank, std::int32_t rank, Bytes bytes) {
    if (rank >= 0 && static_cast<std::size_t>(rank) < per_rank.size()) {
      per_rank[static_cast<std::size_t>(rank)] += bytes;
    }
  }
};

Traffic traffic_of(const Plan& plan) {
  Traffic traffic(plan.ranks.size());
  for (const auto& rank : plan.ranks) {
    for (const auto& lane : rank.lanes) {
      for (const auto& step : lane.steps) {
        if (const auto* copy = std::get_if<Copy>(&step)) traffic.add(*copy);
      }
    }
  }
  return traffic;
}

std::string range_text(const std::vector<Bytes>& per_rank) {
  if (per_rank.empty()) return "0";
  const auto [low, high] = std::minmax_element(per_rank.begin(), per_rank.end());
  if (*low == *high) return format_bytes(*low);
  return fmt::format("{} to {}", format_bytes(*low), format_bytes(*high));
}

void write_rank(Out out, const Plan& plan, std::size_t rank) {
  fmt::format_to(out, "rank {}\n", rank);
  for (const auto& lane : plan.ranks[rank].lanes) {
    fmt::format_to(out, "  {}\n", lane_text(lane));
    for (std::size_t index = 0; index < lane.steps.size(); ++index) {
      fmt::format_to(out, "    {:>4}  {}\n", index,
                     to_string(plan, static_cast<int>(rank), lane.steps[index]));
    }
  }
}

}  // namespace

std::string to_text(const Plan& plan) {
  std::string text = fmt::format("{}\n{}\n", request_text(plan.request), one_line(plan.algorithm));
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank) {
    write_rank(std::back_inserter(text), plan, rank);
  }
  return text;
}

std::string summary_text(const Plan& plan) {
  const Counts counts = count(plan);
  const Traffic traffic = traffic_of(plan);
  std::string text;
  const Out out = std::back_inserter(text);
  fmt::format_to(out, "request    {}\n", request_text(plan.request));
  fmt::format_to(out, "algorithm  {}\n", one_line(plan.algorithm));
  fmt::format_to(out, "lanes      {} dma, {} compute\n", counts.dma_lanes, counts.compute_lanes);
  fmt::format_to(out, "steps      {}: {}, {}, {}, {}\n", step_count(plan),
                 counted(counts.copies, "copy", "copies"),
                 counted(counts.signals, "signal", "signals"),
                 counted(counts.waits, "wait", "waits"), counted(counts.tasks, "task", "tasks"));
  fmt::format_to(out, "per rank   {} bytes sent, {} received, {} copied within\n",
                 range_text(traffic.sent), range_text(traffic.received), range_text(traffic.own));
  fmt::format_to(out, "per rank   {}, {} bytes of scratch\n",
                 counted(static_cast<std::size_t>(plan.flags), "flag", "flags"),
                 format_bytes(plan.scratch_bytes));
  return text;
}

}  // namespace conccl::plan
