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

/// What `text` says of each link to another GPU: "1: a, 2: b".
template <typename Text>
std::string links_text(const Session& session, int from, const Text& text) {
  std::vector<std::string> texts;
  for (int to = 0; to < session.count(); ++to) {
    if (to == from) continue;
    const Link& link = session.gpu(from).links[static_cast<std::size_t>(to)];
    texts.push_back(fmt::format("{}: {}", to, text(link)));
  }
  return fmt::format("{}", fmt::join(texts, "; "));
}

std::string link_text(const Link& link) {
  return fmt::format("{}, {} hop{}{}", type_text(link.type), link.hops, link.hops == 1 ? "" : "s",
                     link.reaches ? "" : ", not reached");
}

void add_links(const Session& session, int number, std::vector<Fact>& facts) {
  const auto name = fmt::format("gpu {}", number);
  const bool asks = !session.library().lacks("hsa_amd_memory_get_preferred_copy_engine");
  const auto preferred = [asks](const Link& link) {
    return asks ? engines_text(link.preferred) : std::string("not known");
  };
  const auto by_driver = [](const Link& link) {
    return link.by_driver != 0 ? engines_text(link.by_driver) : std::string("not known");
  };
  facts.push_back({name + " links to", links_text(session, number, link_text)});
  facts.push_back({name + " preferred engine to", links_text(session, number, preferred)});
  facts.push_back({name + " driver's engine to", links_text(session, number, by_driver)});
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
  if (session.count() > 1) add_links(session, number, facts);
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

std::vector<Fact> library_facts(const Library& library) {
  const auto lacks = fmt::format("{}", fmt::join(library.missing, ", "));
  return {{"library", library.path}, {"lacks", lacks.empty() ? "nothing" : lacks}};
}

std::vector<Fact> device_facts(const Session& session) {
  const auto& calls = session.calls();
  const auto version = [&calls](abi::hsa_system_info_t part) {
    std::uint16_t number = 0;
    check(calls, calls.hsa_system_get_info(part, &number), {"hsa_system_get_info"});
    return number;
  };
  std::vector<Fact> facts;
  facts.push_back({"HSA version", fmt::format("{}.{}", version(abi::HSA_SYSTEM_INFO_VERSION_MAJOR),
                                              version(abi::HSA_SYSTEM_INFO_VERSION_MINOR))});
  facts.push_back({"clock", fmt::format("{} Hz", session.frequency())});
  for (int number = 0; number < session.count(); ++number) add_gpu(session, number, facts);
  return facts;
}

}  // namespace conccl::backend::hsa::conformance
