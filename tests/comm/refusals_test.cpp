// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Calls that are refused before any peer hears of them.

#include <limits>

#include "conccl/core/errors.hpp"
#include "tests/comm/support.hpp"

namespace conccl::test {
namespace {

using testing::HasSubstr;

template <typename Exception>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "expected an exception";
  return {};
}

std::string refusal_of(const std::function<void()>& action) {
  return message_of<InputError>(action);
}

/// Two ranks; rank 0 makes the bad call. What is refused leaves the communicator as it was.
class Refusals : public testing::Test {
 protected:
  ~Refusals() override {
    EXPECT_EQ(world_.comm(0).async_error(), std::nullopt);
    Exchange exchange(world_, {plan::Collective::all_gather, 100}, 1);
    exchange.call_all();
    world_.synchronize();
    EXPECT_TRUE(exchange.right());
  }

  std::string gather(const void* send, void* recv, std::uint64_t count,
                     DataType type = DataType::uint8) {
    return refusal_of(
        [&] { world_.comm(0).all_gather(send, recv, count, type, world_.stream(0)); });
  }
  std::string exchange(const void* send, void* recv, std::uint64_t count) {
    return refusal_of(
        [&] { world_.comm(0).all_to_all(send, recv, count, DataType::uint8, world_.stream(0)); });
  }

  World world_{2};
  backend::Memory send_ = world_.device(0).allocate(1000);
  backend::Memory recv_ = world_.device(0).allocate(2000);
};

TEST_F(Refusals, NullSend) {
  EXPECT_THAT(gather(nullptr, recv_.data(), 1000),
              HasSubstr("all_gather: send is null, expected 1000 bytes"));
}

TEST_F(Refusals, NullRecv) {
  EXPECT_THAT(exchange(send_.data(), nullptr, 500),
              HasSubstr("all_to_all: recv is null, expected 1000 bytes"));
}

TEST_F(Refusals, SendTooSmall) {
  EXPECT_THAT(gather(send_.at(1), recv_.data(), 1000),
              HasSubstr("send is too small, 999 bytes lie behind its address, expected 1000"));
}

TEST_F(Refusals, RecvTooSmall) {
  EXPECT_THAT(gather(send_.data(), recv_.at(4), 250, DataType::float64),
              HasSubstr("send is too small, 1000 bytes lie behind its address, expected 2000"));
  EXPECT_THAT(gather(send_.data(), recv_.at(4), 1000),
              HasSubstr("recv is too small, 1996 bytes lie behind its address, expected 2000"));
}

TEST_F(Refusals, OverlappingBuffers) {
  EXPECT_THAT(gather(recv_.at(1), recv_.data(), 1000),
              HasSubstr("send and recv overlap; in place means send == recv + rank * count"));
}

TEST_F(Refusals, InPlaceAllToAll) {
  EXPECT_THAT(exchange(recv_.data(), recv_.data(), 1000),
              HasSubstr("in-place all_to_all is not supported"));
}

TEST_F(Refusals, CountOverflow) {
  constexpr auto kMost = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THAT(gather(send_.data(), recv_.data(), kMost, DataType::float64),
              HasSubstr("all_gather"));
  EXPECT_THAT(gather(send_.data(), recv_.data(), kMost / 2), testing::Not(testing::IsEmpty()));
  EXPECT_THAT(exchange(send_.data(), recv_.data(), kMost / 2), testing::Not(testing::IsEmpty()));
}

TEST_F(Refusals, WindowOfNothing) {
  EXPECT_THAT(refusal_of([&] { (void)world_.comm(0).register_window(nullptr, 10); }),
              HasSubstr("at least 1 byte"));
  EXPECT_THAT(refusal_of([&] { (void)world_.comm(0).register_window(send_.data(), 0); }),
              HasSubstr("at least 1 byte"));
}

TEST_F(Refusals, WindowBeyondItsAllocation) {
  EXPECT_THAT(
      refusal_of([&] { (void)world_.comm(0).register_window(send_.at(10), 1000); }),
      HasSubstr(
          "window: the buffer is too small, 990 bytes lie behind its address, expected 1000"));
}

TEST_F(Refusals, UnknownWindow) {
  EXPECT_THAT(refusal_of([&] { world_.comm(0).deregister({}); }), HasSubstr("window: -1"));
  EXPECT_THAT(refusal_of([&] { world_.comm(0).deregister({0}); }),
              HasSubstr("window: 0 is not registered"));
}

TEST_F(Refusals, AGroupEndsOnce) {
  comm::Group group;
  group.end();
  EXPECT_THAT(refusal_of([&] { group.end(); }), HasSubstr("already ended"));
}

class WindowRefusals : public testing::Test {
 protected:
  WindowRefusals() {
    comm::Group group;
    for (std::size_t rank = 0; rank < 2; ++rank) {
      recv_.push_back(world_.devices[rank]->allocate(4000));
      windows_.push_back(world_.comms[rank].register_window(recv_[rank].data(), 1000));
    }
    group.end();
  }

  World world_{2};
  std::vector<backend::Memory> recv_;
  std::vector<comm::Window> windows_;
};

TEST_F(WindowRefusals, CallLeavesItsWindow) {
  const auto send = world_.device(0).allocate(600);
  EXPECT_THAT(
      refusal_of([&] {
        world_.comm(0).all_gather(send.data(), recv_[0].data(), 600, DataType::uint8,
                                  world_.stream(0));
      }),
      HasSubstr("recv leaves its window: 1000 bytes lie behind its address, expected 1200"));
}

TEST_F(WindowRefusals, ALargerWindowOverASmallOneServes) {
  comm::Group registrations;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    (void)world_.comms[rank].register_window(recv_[rank].data(), 4000);
  }
  registrations.end();
  comm::Group calls;
  for (std::size_t rank = 0; rank < 2; ++rank) {
    std::fill_n(recv_[rank].at(1000 * rank), 1000, static_cast<std::byte>(rank + 1));
    world_.comms[rank].all_gather(recv_[rank].at(1000 * rank), recv_[rank].data(), 1000,
                                  DataType::uint8, *world_.streams[rank]);
  }
  calls.end();
  world_.synchronize();
  for (const auto& recv : recv_) {
    EXPECT_EQ(*recv.at(999), std::byte{1});
    EXPECT_EQ(*recv.at(1999), std::byte{2});
  }
}

TEST_F(WindowRefusals, DeregisteredTwice) {
  world_.comm(1).deregister(windows_[1]);
  EXPECT_THAT(refusal_of([&] { world_.comm(1).deregister(windows_[1]); }),
              HasSubstr("window: 0 is not registered"));
}

TEST(SetupRefusals, Ranks) {
  const auto backend = backend::open("host");
  EXPECT_THAT(refusal_of([&] { (void)comm::open_devices(*backend, 0); }), HasSubstr("ranks: 0"));
  EXPECT_THAT(refusal_of([&] { (void)comm::open_devices(*backend, -1); }), HasSubstr("ranks: -1"));
  const int most = backend->capabilities().max_devices;
  EXPECT_THAT(refusal_of([&] { (void)comm::open_devices(*backend, most + 1); }),
              HasSubstr("backend host"));
  EXPECT_THAT(refusal_of([&] { (void)comm::Communicator::init_all(*backend, {}); }),
              HasSubstr("ranks: 0"));
}

TEST(SetupRefusals, DeadlineNotPositive) {
  const auto backend = backend::open("host");
  const auto devices = comm::open_devices(*backend, 1);
  for (const auto deadline : {0ms, -5ms}) {
    EXPECT_THAT(refusal_of([&] {
                  (void)comm::Communicator::init_all(*backend, devices,
                                                     World::with_deadline(deadline));
                }),
                HasSubstr("ms is not positive"));
  }
}

TEST(SetupRefusals, Policy) {
  EXPECT_EQ(comm::parse_policy("auto"), comm::Policy::automatic);
  EXPECT_EQ(comm::parse_policy("dma"), comm::Policy::dma);
  EXPECT_EQ(comm::parse_policy("compute"), comm::Policy::compute);
  EXPECT_THAT(refusal_of([] { (void)comm::parse_policy("gpu"); }),
              HasSubstr("'gpu' is not one of auto, dma, compute"));
}

/// A plan of one compute-form lane with one step replaced.
class PlanRefusals : public testing::Test {
 protected:
  std::string refusal(const plan::Step& step) {
    plan::RankPlan lanes{{{"comm0", plan::Engine::dma, {}, {}, 0, {step}}}};
    call_.lanes = &lanes;
    return refusal();
  }
  std::string refusal() {
    return refusal_of([&] { world_.comm(0).run(call_, world_.stream(0)); });
  }

  World world_{2};
  backend::Memory send_ = world_.device(0).allocate(100);
  backend::Memory recv_ = world_.device(0).allocate(200);
  comm::PlanCall call_{
      nullptr, {plan::Collective::all_gather, 2, 100}, 4, send_.data(), recv_.data(), {}, {}};
};

using plan::BufferKind;

TEST_F(PlanRefusals, NoLanes) { EXPECT_THAT(refusal(), HasSubstr("plan: no lanes")); }

TEST_F(PlanRefusals, OtherRanks) {
  call_.request.ranks = 3;
  EXPECT_THAT(refusal(plan::Wait{0}), HasSubstr("for 3 ranks, the communicator has 2"));
}

TEST_F(PlanRefusals, TooManyFlags) {
  call_.flags = 1000;
  EXPECT_THAT(refusal(plan::Wait{0}), HasSubstr("1000 flags per rank"));
}

TEST_F(PlanRefusals, FlagOutOfRange) {
  EXPECT_THAT(refusal(plan::Wait{4}), HasSubstr("flag 4 is not in 0 .. 3"));
  EXPECT_THAT(refusal(plan::Signal{1, -1}), HasSubstr("flag -1"));
}

TEST_F(PlanRefusals, RankOutOfRange) {
  EXPECT_THAT(refusal(plan::Signal{2, 0}), HasSubstr("rank 2 is not in 0 .. 1"));
}

TEST_F(PlanRefusals, TaskOutOfRange) {
  EXPECT_THAT(refusal(plan::Compute{0}), HasSubstr("task 0"));
}

TEST_F(PlanRefusals, BytesOutOfRange) {
  EXPECT_THAT(refusal(plan::Copy{{0, BufferKind::send, 1}, {1, BufferKind::recv, 0}, 100}),
              HasSubstr("100 bytes at offset 1 of send leave its 100 bytes"));
  EXPECT_THAT(refusal(plan::Copy{{0, BufferKind::send, 0}, {1, BufferKind::recv, 101}, 100}),
              HasSubstr("100 bytes at offset 101 of recv leave its 200 bytes"));
  EXPECT_THAT(refusal(plan::Copy{{0, BufferKind::scratch, 0}, {1, BufferKind::recv, 0}, 1}),
              HasSubstr("scratch"));
}

TEST_F(PlanRefusals, TimesForOtherLanes) {
  std::vector<backend::LaneTimes> times(2);
  call_.times = times;
  EXPECT_THAT(refusal(plan::Wait{0}), HasSubstr("2 times for 1 lanes"));
}

}  // namespace
}  // namespace conccl::test
