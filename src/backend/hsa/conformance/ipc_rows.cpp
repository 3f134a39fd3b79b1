// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include "backend/hsa/conformance/child.hpp"
#include "backend/hsa/conformance/expect.hpp"
#include "backend/hsa/conformance/pointer.hpp"
#include "backend/hsa/conformance/rows.hpp"
#include "backend/hsa/conformance/scene.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

constexpr Bytes kIpcBytes = 2 * kMiB;

std::string handle_text(const abi::hsa_amd_ipc_memory_t& handle) {
  std::string text;
  for (const auto word : handle.handle) text += fmt::format("{:08x}", word);
  return text;
}

/// The handle of a whole allocation.
abi::hsa_amd_ipc_memory_t exported(const Session& session, const Block& block) {
  abi::hsa_amd_ipc_memory_t handle{};
  const auto bytes = pointer_facts(session, block.at).info.sizeInBytes;
  expect_status(session.calls(),
                session.calls().hsa_amd_ipc_memory_create(block.at, bytes, &handle),
                abi::HSA_STATUS_SUCCESS, fmt::format("a handle of {} bytes", bytes));
  return handle;
}

std::string whole_only(Session& session) {
  Scene scene(session);
  const Block block = scene.block(0, kIpcBytes);
  abi::hsa_amd_ipc_memory_t handle{};
  const auto create = [&](Bytes offset, Bytes bytes) {
    return session.calls().hsa_amd_ipc_memory_create(block.at + offset, bytes, &handle);
  };
  expect_error(session.calls(), create(0, kIpcBytes / 2), "a handle of half an allocation");
  const auto text = expect_error(session.calls(), create(kIpcBytes / 2, kIpcBytes / 2),
                                 "a handle of its second half");
  static_cast<void>(exported(session, block));
  return text;
}

std::string attach(Session& session) {
  Scene scene(session);
  const Block block = scene.random_block(0, kIpcBytes, 11);
  const auto handle = exported(session, block);
  const auto note = child_note(
      session, {"attach", {handle_text(handle), std::to_string(kIpcBytes), "11", "12"}, {}});
  expect_bytes(scene.read(block), random_bytes(kIpcBytes, 12),
               "memory written by a second process");
  return note;
}

std::string attach_twice(Session& session) {
  Scene scene(session);
  const Block block = scene.random_block(0, kIpcBytes, 21);
  const auto handle = handle_text(exported(session, block));
  for (const char* const seeds : {"21", "22"}) {
    const auto next = std::string(seeds) == "21" ? "22" : "23";
    child_note(session, {"attach", {handle, std::to_string(kIpcBytes), seeds, next}, {}});
  }
  expect_bytes(scene.read(block), random_bytes(kIpcBytes, 23), "memory written by two processes");
  return {};
}

std::string after_free(Session& session) {
  Scene scene(session);
  const Block block = scene.block(0, kIpcBytes);
  const auto handle = exported(session, block);
  scene.free(block);
  return child_note(session,
                    {"attach-freed", {handle_text(handle), std::to_string(kIpcBytes)}, {}});
}

}  // namespace

std::span<const Row> ipc_rows() {
  static constexpr Row kRows[] = {
      {"ipc-whole", "a handle is of a whole allocation, from its base", whole_only},
      {"ipc-attach", "a second process reads and writes it by engines", attach},
      {"ipc-again", "a handle serves one process after another", attach_twice},
      {"ipc-freed", "once the exporter has freed it, a handle is refused", after_free,
       Danger::corrupts_or_hangs},
  };
  return kRows;
}

}  // namespace conccl::backend::hsa::conformance
