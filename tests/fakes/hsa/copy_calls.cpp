// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "tests/fakes/hsa/runtime.hpp"

namespace conccl::test::fake_hsa {
namespace {

constexpr std::size_t kMostDependencies = 5;
constexpr std::uint32_t kRasIsa = 0x90A;

/// The two ends of a copy and who runs it.
struct Ends {
  const Agent* dst = nullptr;
  const Agent* src = nullptr;

  [[nodiscard]] const Agent& runner() const { return src->is_gpu() ? *src : *dst; }
  [[nodiscard]] bool peers() const { return dst->is_gpu() && src->is_gpu() && dst != src; }
};

/// False when an agent does not exist, or neither is a GPU.
bool find_ends(const Runtime& all, hsa_agent_t dst, hsa_agent_t src, Ends& ends) {
  ends = {all.topology.find(dst), all.topology.find(src)};
  if (ends.dst == nullptr || ends.src == nullptr) return false;
  return ends.dst->is_gpu() || ends.src->is_gpu();
}

/// The same for a copy, which a variable turns round.
bool find_copy_ends(const Runtime& all, hsa_agent_t dst, hsa_agent_t src, Ends& ends) {
  if (!find_ends(all, dst, src, ends)) return false;
  if (all.variables.reverse_copies) std::swap(ends.dst, ends.src);
  return true;
}

hsa_status_t check_dependencies(std::uint32_t count, const hsa_signal_t* list, const char* call) {
  if ((count == 0) != (list == nullptr)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (count > kMostDependencies) die(call, "more than 5 dependencies overrun the runtime's list");
  const std::span signals_given(list, count);
  const bool exist = std::all_of(signals_given.begin(), signals_given.end(),
                                 [](hsa_signal_t one) { return signals().find(one) != nullptr; });
  return exist ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_SIGNAL;
}

/// What hsa_amd_memory_async_copy_on_engine asks of an engine's id.
bool may_use(const Topology& topology, const Ends& ends, std::uint32_t engine) {
  if (!std::has_single_bit(engine)) return false;
  const int id = std::countr_zero(engine);
  if (id >= topology.engines()) return false;
  const bool host_facing = id < topology.host_engines();
  if (ends.peers() && host_facing && topology.xgmi_engines() != 6) return false;
  const bool to_gpu = ends.dst->is_gpu() && !ends.src->is_gpu();
  return topology.isa() != kRasIsa || id != 0 || to_gpu;
}

/// The engine, or a kernel in its place, of which the runtime never tells.
int what_runs(const Variables& variables, const Ends& ends, int id) {
  const bool engines = variables.sdma && (!ends.peers() || variables.peer_sdma);
  return engines && id != settings().get(Setting::cu_engine) ? id : kComputeCopies;
}

CopyFault next_fault() {
  const bool fails = settings().strikes(Setting::fail_copy_at);
  const bool loses = settings().strikes(Setting::lose_completion_at);
  const bool raises = settings().strikes(Setting::event_at);
  if (raises) return CopyFault::raises_event;
  if (fails) return CopyFault::fails;
  return loses ? CopyFault::loses_completion : CopyFault::none;
}

void submit(Runtime& all, const Agent& runner, int engine, Copy copy) {
  copy.fault = next_fault();
  copy.completion->hold();
  for (auto* const signal : copy.dependencies) signal->hold();
  counters().copies.fetch_add(1);
  if (engine == kComputeCopies) counters().cu_copies.fetch_add(1);
  all.engines.get(runner, engine).submit(std::move(copy));
}

std::vector<Signal*> found(std::uint32_t count, const hsa_signal_t* list) {
  std::vector<Signal*> all;
  for (std::uint32_t i = 0; i < count; ++i) all.push_back(signals().find(list[i]));
  return all;
}

bool is_zero(const std::uint64_t (&words)[4]) {
  return std::all_of(std::begin(words), std::end(words), [](auto word) { return word == 0; });
}

/// Ops of the batch call beyond plain copies are not in the double.
hsa_status_t check_op(const Runtime& all, const hsa_amd_memory_copy_op_t& op) {
  Ends ends;
  if (op.version != 1 || op.type != HSA_AMD_MEMORY_COPY_OP_LINEAR || op.dst == nullptr ||
      op.src == nullptr || op.reserved != 0 || !is_zero(op.wait) || !is_zero(op.signal)) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  if (!find_ends(all, op.dst_agent, op.src_agent, ends)) return HSA_STATUS_ERROR_INVALID_AGENT;
  if (signals().find(op.completion_signal) == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t refused() {
  if (!settings().strikes(Setting::fail_submit_at)) return HSA_STATUS_SUCCESS;
  return static_cast<hsa_status_t>(settings().get(Setting::submit_status));
}

/// The preferred engine, else the first of the usual ones, else a kernel.
int engine_for(const Runtime& all, const Ends& ends) {
  const auto ids = engine_ids(all, *ends.dst, *ends.src);
  const auto from = ids.preferred != 0 ? ids.preferred : ids.usual;
  if (ends.dst == ends.src || from == 0) return kComputeCopies;
  return what_runs(all.variables, ends, std::countr_zero(from));
}

}  // namespace

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_memory_async_copy_on_engine(
    void* dst, hsa_agent_t dst_agent, const void* src, hsa_agent_t src_agent, std::size_t bytes,
    std::uint32_t dependency_count, const hsa_signal_t* dependencies, hsa_signal_t completion,
    hsa_amd_sdma_engine_id_t engine, bool force_copy_on_sdma) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (dst == nullptr || src == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto listed =
      check_dependencies(dependency_count, dependencies, "hsa_amd_memory_async_copy_on_engine");
  if (listed != HSA_STATUS_SUCCESS) return listed;
  Ends ends;
  if (!find_copy_ends(*all, dst_agent, src_agent, ends)) return HSA_STATUS_ERROR_INVALID_AGENT;
  Signal* const signal = signals().find(completion);
  if (signal == nullptr) return HSA_STATUS_ERROR_INVALID_SIGNAL;
  if (bytes == 0) return HSA_STATUS_SUCCESS;
  if (!may_use(all->topology, ends, engine)) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  if (const auto status = refused(); status != HSA_STATUS_SUCCESS) return status;
  const bool kernel = ends.dst == ends.src && !force_copy_on_sdma;
  const int id = std::countr_zero(std::uint32_t{engine});
  submit(*all, ends.runner(), kernel ? kComputeCopies : what_runs(all->variables, ends, id),
         {dst, src, bytes, found(dependency_count, dependencies), signal, CopyFault::none});
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t
hsa_amd_memory_async_batch_copy(const hsa_amd_memory_copy_op_t* copies, std::uint32_t count,
                                std::uint32_t dependency_count, const hsa_signal_t* dependencies) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (copies == nullptr || count == 0) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  const auto listed =
      check_dependencies(dependency_count, dependencies, "hsa_amd_memory_async_batch_copy");
  if (listed != HSA_STATUS_SUCCESS) return listed;
  const std::span ops(copies, count);
  for (const auto& op : ops) {
    if (const auto status = check_op(*all, op); status != HSA_STATUS_SUCCESS) return status;
  }
  if (const auto status = refused(); status != HSA_STATUS_SUCCESS) return status;
  for (const auto& op : ops) {
    if (op.size == 0) continue;
    Ends ends;
    static_cast<void>(find_copy_ends(*all, op.dst_agent, op.src_agent, ends));
    submit(*all, ends.runner(), engine_for(*all, ends),
           {op.dst, op.src, op.size, found(dependency_count, dependencies),
            signals().find(op.completion_signal), CopyFault::none});
  }
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_memory_copy_engine_status(hsa_agent_t dst_agent,
                                                                   hsa_agent_t src_agent,
                                                                   std::uint32_t* engines) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (engines == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Ends ends;
  if (!find_ends(*all, dst_agent, src_agent, ends) || ends.dst == ends.src) {
    return HSA_STATUS_ERROR_INVALID_AGENT;
  }
  *engines = 0;
  const auto usual = engine_ids(*all, *ends.dst, *ends.src).usual;
  for (int id = 0; id < all->topology.engines() && !settings().on(Setting::busy); ++id) {
    const auto bit = std::uint32_t{1} << static_cast<unsigned>(id);
    if ((usual & bit) != 0 && all->engines.idle(ends.runner(), id)) *engines |= bit;
  }
  return *engines != 0 ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_amd_memory_get_preferred_copy_engine(hsa_agent_t dst_agent,
                                                                          hsa_agent_t src_agent,
                                                                          std::uint32_t* engines) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (engines == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  Ends ends;
  if (!find_ends(*all, dst_agent, src_agent, ends)) return HSA_STATUS_ERROR_INVALID_AGENT;
  *engines = engine_ids(*all, *ends.dst, *ends.src).preferred;
  return HSA_STATUS_SUCCESS;
}

}  // namespace conccl::test::fake_hsa
