// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/conformance/facts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

#include "backend/hsa/conformance/kfd.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

constexpr const char* kVariables[] = {
    "HSA_ENABLE_SDMA",
    "HSA_ENABLE_PEER_SDMA",
    "HSA_ENABLE_SDMA_GANG",
    "HSA_ENABLE_SDMA_RECOMMENDED_ENG",
    "HSA_REV_COPY_DIR",
    "HSA_CU_MASK",
    "HSA_ENABLE_IPC_MODE_LEGACY",
    "ROCR_VISIBLE_DEVICES",
};

std::string or_unknown(const std::string& text) { return text.empty() ? "not known" : text; }

std::string pool_text(const Pool& pool) {
  std::string text;
  const auto add = [&](std::uint32_t flag, const char* name) {
    if ((pool.flags & flag) != 0) text += fmt::format("{} ", name);
  };
  add(abi::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED, "coarse");
  add(abi::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED, "fine");
  add(abi::HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT, "kernarg");
  if (text.empty()) text = fmt::format("flags 0x{:x} ", pool.flags);
  return fmt::format("{}{}{}", text, format_bytes(pool.bytes),
                     pool.allocates ? "" : " (not for programs)");
}

std::string pools_text(const std::vector<Pool>& pools) {
  std::vector<std::string> texts;
  for (const auto& pool : pools) texts.push_back(pool_text(pool));
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string type_text(std::uint32_t type) {
  if (type == abi::HSA_AMD_LINK_INFO_TYPE_XGMI) return "xGMI";
  if (type == abi::HSA_AMD_LINK_INFO_TYPE_PCIE) return "PCIe";
  return fmt::format("link type {}", type);
}

std::string link_text(const Session& session, const Link& link) {
  const bool asks = !session.library().lacks("hsa_amd_memory_get_preferred_copy_engine");
  return fmt::format("{}, {} hops, {}; preferred engine {}; the driver's {}", type_text(link.type),
                     link.hops, link.reaches ? "reached" : "not reached",
                     asks ? engines_text(link.preferred) : "not known",
                     link.by_driver != 0 ? engines_text(link.by_driver) : "not known");
}

void add_gpu(const Session& session, int number, std::vector<Fact>& facts) {
  const Gpu& gpu = session.gpu(number);
  const auto name = fmt::format("gpu {}", number);
  facts.push_back(
      {name, fmt::format("{}, {}, {} CUs, {}, {}, node {}", one_line(gpu.product),
                         one_line(gpu.isa), gpu.units, one_line(gpu.uuid), gpu.address, gpu.node)});
  facts.push_back(
      {name + " engines", fmt::format("{} for the host + {} for peers", gpu.sdma, gpu.xgmi)});
  facts.push_back({name + " pools", pools_text(gpu.pools)});
  for (int other = 0; other < session.count(); ++other) {
    if (other == number) continue;
    facts.push_back({fmt::format("{} to {}", name, other),
                     link_text(session, gpu.links[static_cast<std::size_t>(other)])});
  }
}

}  // namespace

std::vector<Fact> machine_facts(const std::string& sys) {
  std::vector<Fact> facts;
  facts.push_back({"program", "conccl-hsa-conformance " CONCCL_VERSION});
  facts.push_back({"kernel", or_unknown(first_line("/proc/version"))});
  facts.push_back({"amdgpu driver", or_unknown(first_line(sys + "/module/amdgpu/version"))});
  facts.push_back({"amdgpu source", or_unknown(first_line(sys + "/module/amdgpu/srcversion"))});
  facts.push_back({"ROCm", or_unknown(first_line("/opt/rocm/.info/version"))});
  for (const char* const name : kVariables) {
    const char* const value = std::getenv(name);
    facts.push_back({name, value == nullptr ? "not set" : one_line(value)});
  }
  return facts;
}

std::vector<Fact> library_facts(const Session& session) {
  const auto& library = session.library();
  const auto version = [&library](abi::hsa_system_info_t part) {
    std::uint16_t number = 0;
    check(library.calls, library.calls.hsa_system_get_info(part, &number), {"hsa_system_get_info"});
    return number;
  };
  std::vector<Fact> facts;
  facts.push_back({"library", library.path});
  facts.push_back({"lacks", library.missing.empty()
                                ? "nothing"
                                : fmt::format("{}", fmt::join(library.missing, ", "))});
  facts.push_back({"HSA version", fmt::format("{}.{}", version(abi::HSA_SYSTEM_INFO_VERSION_MAJOR),
                                              version(abi::HSA_SYSTEM_INFO_VERSION_MINOR))});
  facts.push_back({"clock", fmt::format("{} Hz", session.frequency())});
  for (int number = 0; number < session.count(); ++number) add_gpu(session, number, facts);
  return facts;
}

}  // namespace conccl::backend::hsa::conformance
