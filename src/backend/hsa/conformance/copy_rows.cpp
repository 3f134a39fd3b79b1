// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>

#include "backend/hsa/conformance/expect.hpp"
#include "backend/hsa/conformance/rows.hpp"
#include "backend/hsa/conformance/scene.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

constexpr Bytes kBorder = 64;
/// One copy packet covers less than this on most parts.
constexpr Bytes kOnePacket = Bytes{1} << 22;

/// Copies `bytes` to an odd place in a random block, and checks all of that.
void push(Session& session, int src, int dst, Bytes bytes) {
  Scene scene(session);
  const auto seed = static_cast<unsigned>(100 * src + dst);
  const Block from = scene.random_block(src, bytes, seed);
  const Block to = scene.random_block(dst, bytes + 2 * kBorder, seed + 7);
  auto transfer = scene.transfer(to, from);
  transfer.dst += kBorder + 1;
  scene.copy(transfer);
  auto expected = random_bytes(to.bytes, seed + 7);
  const auto data = random_bytes(bytes, seed);
  std::copy(data.begin(), data.end(), expected.begin() + kBorder + 1);
  expect_bytes(scene.read(to), expected, fmt::format("GPU {} to GPU {}", src, dst));
}

std::string host_copies(Session& session) {
  for (int gpu = 0; gpu < session.count(); ++gpu) {
    Scene scene(session);
    const auto bytes = session.settings().bytes;
    const Block device = scene.random_block(gpu, bytes, static_cast<unsigned>(gpu));
    expect_bytes(scene.read(device), random_bytes(bytes, static_cast<unsigned>(gpu)),
                 fmt::format("GPU {}, there and back", gpu));
  }
  return fmt::format("{} GPUs", session.count());
}

std::string push_bytes(Session& session) {
  session.demand_peers();
  int pairs = 0;
  for (int src = 0; src < session.count(); ++src) {
    for (int dst = 0; dst < session.count(); ++dst) {
      if (src == dst || !session.gpu(src).links[static_cast<std::size_t>(dst)].reaches) continue;
      push(session, src, dst, session.settings().bytes);
      ++pairs;
    }
  }
  return fmt::format("{} directed pairs", pairs);
}

std::string odd_sizes(Session& session) {
  session.demand_peers();
  const Bytes sizes[] = {1, 3, 63, 65, 4095, 4097, kOnePacket - 1, kOnePacket + 4097};
  for (const Bytes bytes : sizes) push(session, 0, 1, bytes);
  return fmt::format("1 to {} bytes, to odd addresses", std::max(sizes[7], sizes[6]));
}

std::string size_zero(Session& session) {
  session.demand_peers();
  Scene scene(session);
  const Block from = scene.random_block(0, 4096, 1);
  const Block to = scene.random_block(1, 4096, 2);
  auto transfer = scene.transfer(to, from);
  transfer.bytes = 0;
  const auto completion = scene.signal(1);
  expect_status(session.calls(), scene.submit(transfer, completion), abi::HSA_STATUS_SUCCESS,
                "a copy of 0 bytes");
  scene.expect_still(completion, 1, "a copy of 0 bytes does not touch it");
  expect_bytes(scene.read(to), random_bytes(4096, 2), "the destination of 0 bytes");
  return "never wait for it";
}

std::string one_decrement(Session& session) {
  session.demand_peers();
  Scene scene(session);
  const auto bytes = session.settings().bytes;
  const Block from = scene.random_block(0, bytes, 1);
  const Block to = scene.block(1, bytes);
  const auto completion = scene.signal(5);
  expect_status(session.calls(), scene.submit(scene.transfer(to, from), completion),
                abi::HSA_STATUS_SUCCESS, "a copy");
  scene.finish(completion, 4);
  scene.expect_still(completion, 4, "a copy decrements it once");
  expect_bytes(scene.read(to), random_bytes(bytes, 1), "the destination");
  return {};
}

std::string many_copies(Session& session) {
  session.demand_peers();
  constexpr Bytes kCount = 512;
  constexpr Bytes kEach = 4096;
  Scene scene(session);
  const Block from = scene.random_block(0, kCount * kEach, 1);
  const Block to = scene.block(1, kCount * kEach);
  std::vector<abi::hsa_signal_t> running;
  for (Bytes at = 0; at < kCount; ++at) {
    auto transfer = scene.transfer(to, from);
    transfer.dst += at * kEach;
    transfer.src += at * kEach;
    transfer.bytes = kEach;
    running.push_back(scene.start(transfer));
  }
  for (const auto completion : running) scene.finish(completion);
  expect_bytes(scene.read(to), random_bytes(kCount * kEach, 1), "512 copies of 4 KiB");
  return "512 copies at once on one engine";
}

std::string pull(Session& session) {
  session.demand_peers();
  Scene scene(session);
  const auto bytes = session.settings().bytes;
  const Block from = scene.random_block(1, bytes, 1);
  const Block to = scene.block(0, bytes);
  auto transfer = scene.transfer(to, from);
  std::swap(transfer.dst_agent, transfer.src_agent);
  transfer.engine = session.engine(0, 1);
  scene.copy(transfer);
  expect_bytes(scene.read(to), random_bytes(bytes, 1), "bytes pulled by GPU 0");
  return {};
}

std::string copy_times(Session& session) {
  session.demand_peers();
  session.demand("hsa_amd_profiling_async_copy_enable");
  session.demand("hsa_amd_profiling_get_async_copy_time");
  const auto& calls = session.calls();
  const auto now = [&calls] {
    std::uint64_t ticks = 0;
    check(calls, calls.hsa_system_get_info(abi::HSA_SYSTEM_INFO_TIMESTAMP, &ticks),
          {"hsa_system_get_info"});
    return ticks;
  };
  Scene scene(session);
  const Block from = scene.random_block(0, session.settings().bytes, 1);
  const Block to = scene.block(1, session.settings().bytes);
  check(calls, calls.hsa_amd_profiling_async_copy_enable(true), {"profiling enable"});
  const auto before = now();
  const auto completion = scene.start(scene.transfer(to, from));
  scene.finish(completion);
  const auto after = now();
  abi::hsa_amd_profiling_async_copy_time_t time{};
  const auto status = calls.hsa_amd_profiling_get_async_copy_time(completion, &time);
  check(calls, calls.hsa_amd_profiling_async_copy_enable(false), {"profiling disable"});
  expect_status(calls, status, abi::HSA_STATUS_SUCCESS, "the times of a copy");
  // The two clocks are brought together by the runtime, to some microseconds.
  const auto slack = session.ticks(std::chrono::milliseconds(1));
  expect(time.start < time.end && before < time.start + slack && time.end < after + slack,
         fmt::format("times of a copy within {} and {}", before, after),
         fmt::format("{} to {}", time.start, time.end));
  return fmt::format("{} ticks at {} Hz", time.end - time.start, session.frequency());
}

}  // namespace

std::span<const Row> copy_rows() {
  static constexpr Row kRows[] = {
      {"host-copies", "engines copy between the host's memory and each GPU's", host_copies},
      {"push-bytes", "an engine of the source's GPU moves exactly the bytes asked for", push_bytes},
      {"odd-sizes", "any size and address will do; the runtime splits large copies", odd_sizes},
      {"pull-bytes", "with the agents named the other way round, a GPU pulls", pull},
      {"size-zero", "0 bytes: success, and the completion signal is not touched", size_zero},
      {"one-decrement", "completion is one decrement of the signal", one_decrement},
      {"many-copies", "an engine takes more copies than its ring holds", many_copies},
      {"copy-times", "a copy's times are ticks of the system's clock", copy_times},
  };
  return kRows;
}

}  // namespace conccl::backend::hsa::conformance
