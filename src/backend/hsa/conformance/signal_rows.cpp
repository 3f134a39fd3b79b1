// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <thread>

#include "backend/hsa/conformance/expect.hpp"
#include "backend/hsa/conformance/rows.hpp"
#include "backend/hsa/conformance/scene.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

using Clock = std::chrono::steady_clock;
using Value = abi::hsa_signal_value_t;

Value wait(const Session& session, abi::hsa_signal_t signal, abi::hsa_signal_condition_t condition,
           Value compare, std::chrono::nanoseconds limit) {
  return session.calls().hsa_signal_wait_scacquire(signal, condition, compare, session.ticks(limit),
                                                   abi::HSA_WAIT_STATE_BLOCKED);
}

std::string counted(Session& session) {
  const auto& calls = session.calls();
  expect_status(calls, calls.hsa_init(), abi::HSA_STATUS_SUCCESS, "a second hsa_init");
  expect_status(calls, calls.hsa_shut_down(), abi::HSA_STATUS_SUCCESS, "its hsa_shut_down");
  Scene scene(session);
  const auto signal = scene.signal(1);
  expect(scene.load(signal) == 1, "a runtime that still runs", "a signal of another value");
  return {};
}

std::string values(Session& session) {
  Scene scene(session);
  for (const Value value : {Value{1}, Value{0}, Value{-1}, Value{1} << 40, -(Value{1} << 62)}) {
    const auto made = scene.signal(value);
    expect(scene.load(made) == value, fmt::format("a signal made with {}", value),
           fmt::format("{}", scene.load(made)));
    scene.set(made, ~value);
    expect(scene.load(made) == ~value, fmt::format("a signal set to {}", ~value),
           fmt::format("{}", scene.load(made)));
  }
  return {};
}

std::string timeout(Session& session) {
  Scene scene(session);
  const auto signal = scene.signal(1);
  constexpr std::chrono::milliseconds kLimit{20};
  const auto begin = Clock::now();
  const auto value = wait(session, signal, abi::HSA_SIGNAL_CONDITION_LT, 1, kLimit);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
  expect(value == 1, "the value 1 of a wait that was not satisfied", fmt::format("{}", value));
  expect(took < session.settings().deadline, "an end of the wait after about 20 ms",
         fmt::format("{} ms", took.count()));
  return fmt::format("asked for {} ms, took {} ms", kLimit.count(), took.count());
}

std::string conditions(Session& session) {
  Scene scene(session);
  const auto signal = scene.signal(5);
  struct Met {
    abi::hsa_signal_condition_t condition;
    Value compare;
  };
  const Clock::duration long_time = session.settings().deadline;
  for (const auto [condition, compare] :
       {Met{abi::HSA_SIGNAL_CONDITION_EQ, 5}, Met{abi::HSA_SIGNAL_CONDITION_NE, 4},
        Met{abi::HSA_SIGNAL_CONDITION_LT, 6}, Met{abi::HSA_SIGNAL_CONDITION_GTE, 5}}) {
    const auto begin = Clock::now();
    const auto value = wait(session, signal, condition, compare, long_time);
    expect(
        value == 5 && Clock::now() - begin < long_time / 2,
        fmt::format("condition {} with {} met at once by 5", static_cast<int>(condition), compare),
        fmt::format("{}", value));
  }
  for (const auto [condition, compare] :
       {Met{abi::HSA_SIGNAL_CONDITION_EQ, 4}, Met{abi::HSA_SIGNAL_CONDITION_NE, 5},
        Met{abi::HSA_SIGNAL_CONDITION_LT, 5}, Met{abi::HSA_SIGNAL_CONDITION_GTE, 6}}) {
    constexpr std::chrono::milliseconds kLimit{5};
    const auto begin = Clock::now();
    static_cast<void>(wait(session, signal, condition, compare, kLimit));
    expect(Clock::now() - begin > kLimit / 2,
           fmt::format("condition {} with {} not met by 5", static_cast<int>(condition), compare),
           "a wait that returned at once");
  }
  return {};
}

std::string woken(Session& session) {
  Scene scene(session);
  const auto signal = scene.signal(1);
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    scene.set(signal, 0);
  });
  const auto until = Clock::now() + session.settings().deadline;
  Value value = 1;
  while (value != 0 && Clock::now() < until) {
    value = wait(session, signal, abi::HSA_SIGNAL_CONDITION_LT, 1, std::chrono::milliseconds(100));
  }
  other.join();
  expect(value == 0, "a wait ended by another thread's store", fmt::format("{}", value));
  return {};
}

}  // namespace

std::span<const Row> signal_rows() {
  static constexpr Row kRows[] = {
      {"init-counted", "hsa_init and hsa_shut_down are counted", counted},
      {"signal-values", "a signal holds any value of 64 bits", values},
      {"signal-timeout", "a wait ends after its timeout, in ticks", timeout},
      {"signal-conditions", "waits for EQ, NE, LT and GTE", conditions},
      {"signal-wake", "a wait ends when another thread stores", woken},
  };
  return kRows;
}

}  // namespace conccl::backend::hsa::conformance
