// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <memory>

#include "backend/hsa/conformance/expect.hpp"
#include "backend/hsa/conformance/pointer.hpp"
#include "backend/hsa/conformance/rows.hpp"
#include "backend/hsa/conformance/scene.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

constexpr Bytes kPointerBytes = 2 * kMiB;
constexpr Bytes kPage = 4096;

void expect_type(const PointerFacts& facts, abi::hsa_amd_pointer_type_t type, const char* what) {
  expect(facts.info.type == type,
         fmt::format("pointer type {} of {}", static_cast<int>(type), what),
         fmt::format("{}", static_cast<int>(facts.info.type)));
}

std::string of_a_gpu(Session& session) {
  for (int gpu = 0; gpu < session.count(); ++gpu) {
    Scene scene(session);
    const Block block = scene.block(gpu, kPointerBytes);
    for (const Bytes offset : {Bytes{0}, kPointerBytes / 2 + 1, kPointerBytes - 1}) {
      const auto facts = pointer_facts(session, block.at + offset);
      expect_type(facts, abi::HSA_EXT_POINTER_TYPE_HSA, "a GPU's memory");
      expect(facts.info.agentBaseAddress == block.at && facts.info.sizeInBytes >= kPointerBytes,
             fmt::format("the base {} and {} bytes", fmt::ptr(block.at), kPointerBytes),
             fmt::format("{} and {} bytes", facts.info.agentBaseAddress, facts.info.sizeInBytes));
      expect(facts.info.agentOwner.handle == session.agent(gpu).handle,
             fmt::format("GPU {} as the owner", gpu), "another agent");
    }
  }
  return {};
}

std::string of_the_host(Session& session) {
  Scene scene(session);
  const Block block = scene.block(kHost, kPointerBytes);
  const auto facts = pointer_facts(session, block.at + 1);
  expect_type(facts, abi::HSA_EXT_POINTER_TYPE_HSA, "the host's memory from a pool");
  expect(facts.info.agentOwner.handle == session.agent(kHost).handle, "the CPU as the owner",
         "another agent");
  return {};
}

std::string unknown(Session& session) {
  Scene scene(session);
  std::byte local{};
  expect_type(pointer_facts(session, &local), abi::HSA_EXT_POINTER_TYPE_UNKNOWN, "a stack");
  const Block block = scene.block(0, kPointerBytes);
  scene.free(block);
  expect_type(pointer_facts(session, block.at), abi::HSA_EXT_POINTER_TYPE_UNKNOWN, "freed memory");
  return {};
}

std::string shorter(Session& session) {
  Scene scene(session);
  const Block block = scene.block(0, kPointerBytes);
  abi::hsa_amd_pointer_info_t info;
  std::memset(static_cast<void*>(&info), 0x5A, sizeof info);
  constexpr auto kShort = offsetof(abi::hsa_amd_pointer_info_t, userData);
  info.size = kShort;
  check(session.calls(),
        session.calls().hsa_amd_pointer_info(block.at, &info, nullptr, nullptr, nullptr),
        {"hsa_amd_pointer_info"});
  const auto rest = std::as_bytes(std::span(&info, 1)).subspan(kShort);
  const std::vector<std::byte> untouched(rest.size(), std::byte{0x5A});
  expect_bytes(rest, untouched, "what lies behind the size that the caller gave");
  expect(info.agentBaseAddress == block.at, "the base", fmt::format("{}", info.agentBaseAddress));
  return {};
}

struct FreeMemory {
  void operator()(std::byte* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::byte, FreeMemory>;

/// Locks memory of the host for a life.
class Locked {
 public:
  Locked(const Session& session, std::byte* host, Bytes bytes) : session_(session), host_(host) {
    auto agents = session.reaching(kHost);
    void* pointer = nullptr;
    check(session.calls(),
          session.calls().hsa_amd_memory_lock(host, bytes, agents.data(),
                                              static_cast<int>(agents.size()), &pointer),
          {"hsa_amd_memory_lock", -1, bytes});
    at_ = static_cast<std::byte*>(pointer);
  }
  ~Locked() {
    if (!session_.left_behind()) static_cast<void>(session_.calls().hsa_amd_memory_unlock(host_));
  }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
  [[nodiscard]] std::byte* at() const { return at_; }

 private:
  const Session& session_;
  std::byte* host_;
  std::byte* at_ = nullptr;
};

std::string locked(Session& session) {
  const Memory memory(static_cast<std::byte*>(std::aligned_alloc(kPage, kPointerBytes)));
  const auto data = random_bytes(kPointerBytes, 5);
  std::memcpy(memory.get(), data.data(), kPointerBytes);
  const Locked lock(session, memory.get(), kPointerBytes);
  const auto facts = pointer_facts(session, memory.get() + 1);
  expect_type(facts, abi::HSA_EXT_POINTER_TYPE_LOCKED, "locked memory of the host");
  expect(facts.info.hostBaseAddress == memory.get() && facts.info.agentBaseAddress == lock.at(),
         fmt::format("the bases {} and {}", fmt::ptr(memory.get()), fmt::ptr(lock.at())),
         fmt::format("{} and {}", facts.info.hostBaseAddress, facts.info.agentBaseAddress));
  Scene scene(session);
  const Block from{lock.at(), kPointerBytes, kHost};
  const Block to = scene.block(0, kPointerBytes);
  scene.copy(scene.transfer(to, from));
  expect_bytes(scene.read(to), data, "a copy out of locked memory");
  return {};
}

}  // namespace

PointerFacts pointer_facts(const Session& session, const void* pointer) {
  PointerFacts facts;
  facts.info.size = sizeof facts.info;
  std::uint32_t count = 0;
  abi::hsa_agent_t* list = nullptr;
  const auto status =
      session.calls().hsa_amd_pointer_info(pointer, &facts.info, &std::malloc, &count, &list);
  const std::unique_ptr<abi::hsa_agent_t, decltype(&std::free)> owned(list, &std::free);
  check(session.calls(), status, {"hsa_amd_pointer_info"});
  if (list != nullptr) facts.agents.assign(list, list + count);
  return facts;
}

std::span<const Row> pointer_rows() {
  static constexpr Row kRows[] = {
      {"pointer-gpu", "pointer_info: type, base, size and owner of a GPU's memory", of_a_gpu},
      {"pointer-host", "and of the host's", of_the_host},
      {"pointer-unknown", "memory that is none of the runtime's, or freed, is unknown", unknown},
      {"pointer-size", "no more is written than the caller's size", shorter},
      {"pointer-locked", "locked memory of the host, which engines read", locked},
  };
  return kRows;
}

}  // namespace conccl::backend::hsa::conformance
