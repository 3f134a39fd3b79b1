// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/conformance/scene.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "backend/hsa/conformance/expect.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kSlice{20};
/// Copies that outlive their row are waited for this long.
constexpr std::chrono::seconds kLast{3};

}  // namespace

Scene::~Scene() {
  for (const auto& one : signals_) {
    if (one.gate) session_.calls().hsa_signal_store_screlease(one.signal, 0);
  }
  if (!end_copies()) {
    session_.leave_behind();
    return;
  }
  for (const auto& one : signals_) {
    static_cast<void>(session_.calls().hsa_signal_destroy(one.signal));
  }
  for (const auto& block : blocks_) {
    static_cast<void>(session_.calls().hsa_amd_memory_pool_free(block.at));
  }
}

bool Scene::all_ended() const {
  return std::all_of(signals_.begin(), signals_.end(), [this](const Tracked& one) {
    return !one.runs || load(one.signal) <= one.last;
  });
}

bool Scene::end_copies() {
  const auto until = Clock::now() + kLast;
  while (!all_ended()) {
    if (Clock::now() > until) return false;
    session_.watch().touch();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

Block Scene::private_block(int place, Bytes bytes) {
  const auto& calls = session_.calls();
  void* pointer = nullptr;
  check(calls, calls.hsa_amd_memory_pool_allocate(session_.pool(place), bytes, 0, &pointer),
        {"hsa_amd_memory_pool_allocate", place, bytes});
  blocks_.push_back({static_cast<std::byte*>(pointer), bytes, place});
  return blocks_.back();
}

Block Scene::block(int place, Bytes bytes) {
  const Block made = private_block(place, bytes);
  const auto& calls = session_.calls();
  const auto agents = session_.reaching(place);
  check(calls,
        calls.hsa_amd_agents_allow_access(static_cast<std::uint32_t>(agents.size()), agents.data(),
                                          nullptr, made.at),
        {"hsa_amd_agents_allow_access", place, bytes});
  return made;
}

void Scene::free(const Block& block) {
  std::erase_if(blocks_, [&block](const Block& one) { return one.at == block.at; });
  check(session_.calls(), session_.calls().hsa_amd_memory_pool_free(block.at),
        {"hsa_amd_memory_pool_free", block.place, block.bytes});
}

void Scene::fill(const Block& block, std::span<const std::byte> bytes) {
  fill_by(block.place, block, bytes);
}

void Scene::fill_by(int gpu, const Block& block, std::span<const std::byte> bytes) {
  if (gpu == kHost) {
    std::memcpy(block.at, bytes.data(), bytes.size());
    return;
  }
  const Block stage = this->block(kHost, bytes.size());
  std::memcpy(stage.at, bytes.data(), bytes.size());
  copy(transfer({block.at, block.bytes, gpu}, stage));
  free(stage);
}

std::vector<std::byte> Scene::read(const Block& block) { return read_by(block.place, block); }

std::vector<std::byte> Scene::read_by(int gpu, const Block& block) {
  if (gpu == kHost) return {block.at, block.at + block.bytes};
  const Block stage = this->block(kHost, block.bytes);
  copy(transfer(stage, {block.at, block.bytes, gpu}));
  std::vector<std::byte> bytes(stage.at, stage.at + stage.bytes);
  free(stage);
  return bytes;
}

Block Scene::random_block(int place, Bytes bytes, unsigned seed) {
  const Block made = block(place, bytes);
  fill(made, random_bytes(bytes, seed));
  return made;
}

abi::hsa_signal_t Scene::signal(abi::hsa_signal_value_t preset) {
  Tracked made{{}, preset};
  check(session_.calls(), session_.calls().hsa_signal_create(preset, 0, nullptr, &made.signal),
        {"hsa_signal_create"});
  signals_.push_back(made);
  return made.signal;
}

abi::hsa_signal_t Scene::gate() {
  const auto made = signal(1);
  signals_.back().gate = true;
  return made;
}

void Scene::set(abi::hsa_signal_t signal, abi::hsa_signal_value_t value) {
  session_.calls().hsa_signal_store_screlease(signal, value);
}

abi::hsa_signal_value_t Scene::load(abi::hsa_signal_t signal) const {
  return session_.calls().hsa_signal_load_scacquire(signal);
}

Scene::Tracked& Scene::tracked(abi::hsa_signal_t signal) {
  return *std::find_if(signals_.begin(), signals_.end(),
                       [signal](const Tracked& one) { return one.signal.handle == signal.handle; });
}

Transfer Scene::transfer(const Block& dst, const Block& src) const {
  Transfer made;
  made.dst = dst.at;
  made.dst_agent = dst.place;
  made.src = src.at;
  made.src_agent = src.place;
  made.bytes = src.bytes;
  made.engine = session_.engine(src.place, dst.place);
  return made;
}

abi::hsa_status_t Scene::submit(const Transfer& transfer, abi::hsa_signal_t completion) {
  session_.watch().beat();
  const auto status = session_.calls().hsa_amd_memory_async_copy_on_engine(
      transfer.dst, session_.agent(transfer.dst_agent), transfer.src,
      session_.agent(transfer.src_agent), transfer.bytes,
      static_cast<std::uint32_t>(transfer.after.size()),
      transfer.after.empty() ? nullptr : transfer.after.data(), completion,
      static_cast<abi::hsa_amd_sdma_engine_id_t>(transfer.engine), transfer.force_engine);
  if (status == abi::HSA_STATUS_SUCCESS && transfer.bytes != 0) note(completion, 1);
  return status;
}

void Scene::note(abi::hsa_signal_t completion, int count) {
  auto& one = tracked(completion);
  one.last -= count;
  one.runs = true;
}

abi::hsa_signal_t Scene::start(const Transfer& transfer) {
  const auto completion = signal(1);
  expect_status(session_.calls(), submit(transfer, completion), abi::HSA_STATUS_SUCCESS,
                fmt::format("a copy of {} bytes from {} to {} on engine {}", transfer.bytes,
                            place_text(transfer.src_agent), place_text(transfer.dst_agent),
                            engines_text(transfer.engine)));
  return completion;
}

void Scene::finish(abi::hsa_signal_t completion, abi::hsa_signal_value_t expected) {
  const auto until = Clock::now() + session_.settings().deadline;
  auto value = load(completion);
  while (value > expected && Clock::now() < until && session_.fault() == 0) {
    session_.watch().beat();
    value = session_.calls().hsa_signal_wait_scacquire(completion, abi::HSA_SIGNAL_CONDITION_LT,
                                                       expected + 1, session_.ticks(kSlice),
                                                       abi::HSA_WAIT_STATE_BLOCKED);
  }
  if (session_.fault() != 0) {
    throw Differs(fmt::format("expected a copy to end, found a memory fault at 0x{:x}",
                              session_.fault() & ~std::uint64_t{1}));
  }
  expect(value == expected, fmt::format("a completion signal of {}", expected),
         value > expected
             ? fmt::format("{} after {} s", value, session_.settings().deadline.count())
             : fmt::format("{}", value));
}

void Scene::expect_still(abi::hsa_signal_t signal, abi::hsa_signal_value_t value, const char* why) {
  const auto until = Clock::now() + kQuiet;
  do {
    session_.watch().beat();
    const auto found = load(signal);
    expect(found == value, fmt::format("a signal that stays {}: {}", value, why),
           fmt::format("{}", found));
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  } while (Clock::now() < until);
}

void Scene::expect_soon(const std::function<bool()>& so, const std::string& expected,
                        const std::function<std::string()>& found) {
  const auto until = Clock::now() + session_.settings().deadline;
  while (!so()) {
    session_.watch().beat();
    expect(Clock::now() < until, expected, found());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace conccl::backend::hsa::conformance
