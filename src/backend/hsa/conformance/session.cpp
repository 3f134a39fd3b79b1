// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/conformance/session.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>

#include "backend/hsa/conformance/discovery.hpp"
#include "backend/hsa/conformance/expect.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

void initialise(const Library& library) {
  const auto status = library.calls.hsa_init();
  if (status == abi::HSA_STATUS_SUCCESS) return;
  throw Unavailable(
      fmt::format("{}: no device: hsa_init: {}", library.path, text_of(library.calls, status)));
}

const Pool* pool_with(const std::vector<Pool>& pools, std::uint32_t flag) {
  const auto found = std::find_if(pools.begin(), pools.end(), [flag](const Pool& pool) {
    return pool.allocates && (pool.flags & flag) != 0;
  });
  return found == pools.end() ? nullptr : &*found;
}

std::uint32_t lowest(std::uint32_t engines) { return engines & (~engines + 1); }

}  // namespace

Session::Session(Library library, const Settings& settings, Watch& watch)
    : settings_(settings), watch_(watch), library_(std::move(library)) {
  demand_calls(library_);
  initialise(library_);
  Devices devices = discover(library_);
  const auto wanted = static_cast<std::size_t>(settings.gpus);
  if (devices.gpus.empty() || devices.gpus.size() < wanted) {
    throw Unavailable(fmt::format("{}: {} GPUs found, {} wanted", library_.path,
                                  devices.gpus.size(), std::max<std::size_t>(wanted, 1)));
  }
  if (wanted != 0) devices.gpus.resize(wanted);
  discover_links(library_, settings.sys, devices);
  gpus_ = std::move(devices.gpus);
  host_ = devices.host;
  host_pools_ = std::move(devices.host_pools);
  check(calls(), calls().hsa_system_get_info(abi::HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency_),
        {"hsa_system_get_info"});
  const auto on_event = [](const abi::hsa_amd_event_t* event, void* data) {
    if (event->event_type == abi::HSA_AMD_GPU_MEMORY_FAULT_EVENT) {
      static_cast<Session*>(data)->fault_.store(event->memory_fault.virtual_address | 1U);
    }
    return abi::HSA_STATUS_SUCCESS;
  };
  check(calls(), calls().hsa_amd_register_system_event_handler(on_event, this),
        {"hsa_amd_register_system_event_handler"});
}

abi::hsa_agent_t Session::agent(int number) const {
  return number == kHost ? host_ : gpu(number).agent;
}

abi::hsa_amd_memory_pool_t Session::pool(int number) const {
  const bool host = number == kHost;
  const auto flag = host ? abi::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED
                         : abi::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
  const Pool* const found = pool_with(host ? host_pools_ : gpu(number).pools, flag);
  if (found != nullptr) return found->handle;
  throw Differs(host ? "expected a fine-grained pool of the host, found none"
                     : fmt::format("expected a coarse-grained pool of GPU {}, found none", number));
}

std::vector<abi::hsa_agent_t> Session::reaching(int place) const {
  std::vector<abi::hsa_agent_t> agents;
  for (int number = 0; number < count(); ++number) {
    const bool own = place == kHost || place == number;
    if (own || gpu(number).links[static_cast<std::size_t>(place)].reaches) {
      agents.push_back(gpu(number).agent);
    }
  }
  return agents;
}

bool Session::is_double() const {
  return std::any_of(gpus_.begin(), gpus_.end(), [](const Gpu& gpu) {
    return gpu.product.find("double") != std::string::npos;
  });
}

void Session::demand(const char* call) const {
  if (library_.lacks(call)) throw Skipped(fmt::format("the library lacks {}", call));
}

void Session::demand_peers() const {
  if (count() < 2) throw Skipped("needs two GPUs");
  if (!gpu(0).links[1].reaches) throw Skipped("GPU 0 does not reach the memory of GPU 1");
}

void Session::demand_xgmi() const {
  demand_peers();
  if (!over_xgmi(0, 1)) throw Skipped("GPUs 0 and 1 are not linked by xGMI");
}

void Session::demand_engines() const {
  for (const char* const name : {"HSA_ENABLE_SDMA", "HSA_ENABLE_PEER_SDMA"}) {
    if (variable_is(name, "0")) throw Skipped(fmt::format("{}=0: a kernel copies", name));
  }
}

void Session::demand_status() const {
  demand("hsa_amd_memory_copy_engine_status");
  demand_engines();
  if (variable_is("HSA_REV_COPY_DIR", "1")) throw Skipped("HSA_REV_COPY_DIR=1");
}

bool Session::over_xgmi(int src, int dst) const {
  if (src == kHost || dst == kHost || src == dst) return false;
  const Link& link = gpu(src).links[static_cast<std::size_t>(dst)];
  return link.type == abi::HSA_AMD_LINK_INFO_TYPE_XGMI && gpu(src).xgmi > 0;
}

std::uint32_t Session::engine(int src, int dst) const {
  const Gpu& runs = gpu(src == kHost ? dst : src);
  // To the runtime, a copy that it reverses comes from the GPU: gfx90a refuses that on engine 0.
  if (src == kHost) return runs.sdma > 1 && variable_is("HSA_REV_COPY_DIR", "1") ? 2U : 1U;
  if (!over_xgmi(src, dst)) return runs.sdma > 1 ? 2U : 1U;
  const Link& link = runs.links[static_cast<std::size_t>(dst)];
  if (std::has_single_bit(link.preferred)) return link.preferred;
  const auto ours = link.by_driver >> runs.sdma << runs.sdma;
  if (ours != 0) return lowest(ours);
  const auto peer = static_cast<std::uint32_t>(dst > src ? dst - 1 : dst);
  return 1U << (runs.sdma + 2 * peer % runs.xgmi);
}

std::uint64_t Session::ticks(std::chrono::nanoseconds time) const {
  return static_cast<std::uint64_t>(std::chrono::duration<double>(time).count() *
                                    static_cast<double>(frequency_));
}

void Session::close() {
  if (!left_) static_cast<void>(calls().hsa_shut_down());
}

Idle idle_engines(const Session& session, int src, int dst) {
  Idle idle;
  idle.status = session.calls().hsa_amd_memory_copy_engine_status(
      session.agent(dst), session.agent(src), &idle.engines);
  return idle;
}

std::string place_text(int place) {
  return place == kHost ? "the host" : fmt::format("GPU {}", place);
}

std::string engines_text(std::uint32_t engines) {
  std::vector<int> numbers;
  for (int at = 0; at < 32; ++at) {
    if ((engines >> static_cast<unsigned>(at) & 1U) != 0) numbers.push_back(at);
  }
  return numbers.empty() ? "none" : fmt::format("{}", fmt::join(numbers, ", "));
}

}  // namespace conccl::backend::hsa::conformance
