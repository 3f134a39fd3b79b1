// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/plan/plan.hpp"

#include <fmt/format.h>

#include "conccl/core/errors.hpp"

namespace conccl::plan {
namespace {

std::string ref_text(int rank, const Ref& ref) {
  const auto place = fmt::format("{}+{}", name_of(ref.buffer), ref.offset);
  return ref.rank == rank ? place : fmt::format("rank {} {}", ref.rank, place);
}

struct StepText {
  const Plan& plan;
  int rank;

  std::string operator()(const Copy& copy) const {
    return fmt::format("copy {} -> {}, {} bytes", ref_text(rank, copy.src),
                       ref_text(rank, copy.dst), copy.bytes);
  }
  std::string operator()(const Signal& signal) const {
    return fmt::format("signal rank {} flag {}", signal.rank, signal.flag);
  }
  std::string operator()(const Wait& wait) const { return fmt::format("wait flag {}", wait.flag); }
  std::string operator()(const Compute& compute) const {
    const auto index = static_cast<std::size_t>(compute.task);
    return compute.task >= 0 && index < plan.tasks.size()
               ? fmt::format("compute {}", one_line(plan.tasks[index]))
               : fmt::format("compute task {}", compute.task);
  }
};

}  // namespace

std::size_t step_count(const Plan& plan) {
  std::size_t count = 0;
  for (const auto& rank : plan.ranks) {
    for (const auto& lane : rank.lanes) count += lane.steps.size();
  }
  return count;
}

Bytes buffer_bytes(const Plan& plan, BufferKind buffer) {
  switch (buffer) {
    case BufferKind::send:
      return send_bytes(plan.request);
    case BufferKind::recv:
      return recv_bytes(plan.request);
    case BufferKind::scratch:
      return plan.scratch_bytes;
  }
  return 0;
}

std::string_view name_of(BufferKind buffer) {
  switch (buffer) {
    case BufferKind::send:
      return "send";
    case BufferKind::recv:
      return "recv";
    case BufferKind::scratch:
      return "scratch";
  }
  return "unknown";
}

std::string_view name_of(Engine engine) { return engine == Engine::dma ? "dma" : "compute"; }

std::string to_string(const Plan& plan, int rank, const Step& step) {
  return std::visit(StepText{plan, rank}, step);
}

}  // namespace conccl::plan
