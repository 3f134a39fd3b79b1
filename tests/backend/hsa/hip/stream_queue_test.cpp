// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <cstring>

#include "tests/backend/hsa/hip/support.hpp"

namespace conccl::backend::hsa::hip {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr Bytes kSize = 256 * kKiB;

class StreamQueues : public OnDoubles {
 protected:
  void SetUp() override {
    gpu_ = device(0);
    caller().set_device(0);
    stream_ = caller().stream();
    wrapped_ = gpu_->wrap(stream_.get());
    from_ = gpu_->allocate(kSize);
    to_ = gpu_->allocate(kSize);
    std::memset(from_.data(), 0, kSize);
    std::memset(to_.data(), 0, kSize);
  }
  void TearDown() override {
    open_ = true;
    wrapped_.reset();
  }

  [[nodiscard]] Device& gpu() { return *gpu_; }
  [[nodiscard]] abi::hipStream_t stream() const { return stream_.get(); }
  [[nodiscard]] Queue& wrapped() { return *wrapped_; }
  void forget_queue() { wrapped_.reset(); }
  [[nodiscard]] const Memory& from() const { return from_; }
  [[nodiscard]] const Memory& to() const { return to_; }

  /// The stream stays where it is until `open_gate`.
  void close_gate() {
    open_ = false;
    caller().launch(stream(), [this] {
      while (!open_) std::this_thread::sleep_for(20us);
    });
  }
  void open_gate() { open_ = true; }
  void copy() { wrapped().copy(to_.data(), from_.data(), kSize, {}); }
  static bool all_are(const Memory& memory, int byte) {
    const auto* bytes = static_cast<const unsigned char*>(memory.data());
    return std::all_of(bytes, bytes + memory.bytes(), [byte](int each) { return each == byte; });
  }

 private:
  std::atomic<bool> open_{true};
  std::unique_ptr<Device> gpu_;
  std::shared_ptr<ihipStream_t> stream_;
  std::unique_ptr<Queue> wrapped_;
  Memory from_;
  Memory to_;
};

TEST_F(StreamQueues, WorkComesBehindTheStreamsAndBeforeItsNext) {
  std::atomic<int> right{0};
  constexpr int kRounds = 40;
  for (int round = 1; round <= kRounds; ++round) {
    caller().launch(stream(), [this, round] { std::memset(from().data(), round, kSize); });
    copy();
    wrapped().submit();
    caller().launch(stream(), [this, round, &right] { right += all_are(to(), round) ? 1 : 0; });
  }
  ASSERT_TRUE(caller().synchronize(stream()));
  EXPECT_EQ(right, kRounds);
  EXPECT_TRUE(wrapped().synchronize(kLimit));
}

TEST_F(StreamQueues, CachesAreFencedOnBothSides) {
  for (int round = 0; round < 3; ++round) {
    caller().launch(stream(), [] {});
    copy();
    wrapped().submit();
  }
  caller().launch(stream(), [] {});
  ASSERT_TRUE(caller().synchronize(stream()));
  EXPECT_EQ(fake_hip().get("launches"), 4);
  EXPECT_EQ(fake_hip().get("unfenced_writes"), 0);
  EXPECT_EQ(fake_hip().get("unfenced_reads"), 0);
}

TEST_F(StreamQueues, NothingRunsBeforeTheStreamComes) {
  std::memset(from().data(), 1, kSize);
  close_gate();
  copy();
  wrapped().submit();
  EXPECT_FALSE(wrapped().synchronize(50ms));
  EXPECT_TRUE(all_are(to(), 0));
  open_gate();
  EXPECT_TRUE(wrapped().synchronize(kLimit));
  EXPECT_TRUE(all_are(to(), 1));
}

TEST_F(StreamQueues, TheStreamWaitsForWhatTheWorkWaitsFor) {
  const auto flags = gpu().make_flags(1);
  std::atomic<bool> behind{false};
  wrapped().wait({flags.get(), 0}, 1);
  copy();
  wrapped().submit();
  caller().launch(stream(), [&behind] { behind = true; });
  EXPECT_FALSE(caller().synchronize(stream(), 50ms));
  EXPECT_FALSE(behind);
  flags->raise(0, 1);
  EXPECT_TRUE(caller().synchronize(stream()));
  EXPECT_TRUE(behind);
}

TEST_F(StreamQueues, SignalsAndTimestampsComeWithTheWork) {
  const auto flags = gpu().make_flags(1);
  Timestamp before{};
  Timestamp after{};
  wrapped().timestamp(before);
  copy();
  wrapped().timestamp(after);
  wrapped().signal({flags.get(), 0}, 5);
  EXPECT_EQ(flags->value(0), 0U);
  finish(wrapped());
  EXPECT_EQ(flags->value(0), 5U);
  EXPECT_GT(before.count(), 0);
  EXPECT_GE(after, before);
}

TEST_F(StreamQueues, AnEmptySubmissionPutsNothingIntoTheStream) {
  wrapped().submit();
  EXPECT_TRUE(caller().idle(stream()));
  EXPECT_TRUE(wrapped().synchronize(0ms));
}

TEST_F(StreamQueues, AQueueAfterItComesBehindTheStream) {
  const auto side = queue(gpu(), plan::Engine::dma);
  std::memset(from().data(), 3, kSize);
  close_gate();
  side->after(wrapped());
  side->copy(to().data(), from().data(), kSize, {});
  side->submit();
  EXPECT_FALSE(side->synchronize(50ms));
  EXPECT_TRUE(all_are(to(), 0));
  open_gate();
  EXPECT_TRUE(side->synchronize(kLimit));
  EXPECT_TRUE(all_are(to(), 3));
}

TEST_F(StreamQueues, TheStreamWaitsForAQueueThatComesFirst) {
  const auto flags = gpu().make_flags(1);
  const auto side = queue(gpu(), plan::Engine::dma);
  side->wait({flags.get(), 0}, 1);
  wrapped().after(*side);
  wrapped().submit();
  EXPECT_FALSE(caller().synchronize(stream(), 50ms));
  flags->raise(0, 1);
  EXPECT_TRUE(caller().synchronize(stream()));
}

TEST_F(StreamQueues, TwoStreamsKeepTheirOwnOrder) {
  const auto other_stream = caller().stream();
  const auto other = gpu().wrap(other_stream.get());
  close_gate();
  copy();
  wrapped().submit();
  other->copy(to().data(), from().data(), kSize, {});
  finish(*other);
  EXPECT_TRUE(caller().synchronize(other_stream.get()));
  EXPECT_FALSE(wrapped().synchronize(0ms));
  open_gate();
  EXPECT_TRUE(wrapped().synchronize(kLimit));
}

TEST_F(StreamQueues, WordsAreUsedAgain) {
  const auto words = fake_hip().get("words");
  for (int round = 0; round < 5; ++round) {
    forget_queue();
    const auto queue = gpu().wrap(stream());
    queue->copy(to().data(), from().data(), kSize, {});
    finish(*queue);
    EXPECT_TRUE(caller().synchronize(stream()));
  }
  EXPECT_EQ(fake_hip().get("words"), words);
}

TEST_F(StreamQueues, TheDefaultStreamIsThisRanks) {
  const auto other_gpu = device(1);
  caller().set_device(1);
  const auto queue = gpu().wrap(nullptr);
  EXPECT_EQ(queue->native(), nullptr);
  queue->copy(to().data(), from().data(), kSize, {});
  finish(*queue);
  auto* const legacy = reinterpret_cast<void*>(abi::kStreamLegacy);
  EXPECT_EQ(gpu().stream_id(nullptr), gpu().stream_id(legacy));
  EXPECT_NE(gpu().stream_id(nullptr), other_gpu->stream_id(nullptr));
  EXPECT_NE(gpu().stream_id(nullptr), gpu().stream_id(stream()));
  EXPECT_EQ(gpu().stream_id(stream()), gpu().stream_id(stream()));
}

TEST_F(StreamQueues, AStreamPerThreadIsRefusedByName) {
  auto* const per_thread = reinterpret_cast<void*>(abi::kStreamPerThread);
  EXPECT_THAT(refusal<InputError>([&] { (void)gpu().wrap(per_thread); }),
              HasSubstr("hipStreamPerThread"));
  EXPECT_THROW((void)gpu().stream_id(per_thread), InputError);
}

TEST_F(StreamQueues, WhatIsNoStreamIsRefused) {
  int elsewhere = 0;
  EXPECT_THAT(refusal<InputError>([&] { (void)gpu().wrap(&elsewhere); }),
              HasSubstr("hipErrorInvalidHandle"));
}

TEST_F(StreamQueues, AStreamThatIsBeingCapturedIsRefusedByName) {
  EXPECT_EQ(wrapped().capture(), 0U);
  std::memset(from().data(), 9, kSize);
  fake_hip().set("capturing", "1");
  EXPECT_THAT(refusal<InputError>([&] { (void)wrapped().capture(); }), HasSubstr("captured"));
  copy();
  EXPECT_THAT(refusal<InputError>([&] { wrapped().submit(); }), HasSubstr("captured"));
  fake_hip().set("capturing", "2");
  EXPECT_THAT(refusal<InputError>([&] { (void)wrapped().capture(); }), HasSubstr("legacy default"));
  fake_hip().set("capturing", "0");
  wrapped().submit();
  EXPECT_TRUE(wrapped().synchronize(kLimit));
  EXPECT_TRUE(all_are(to(), 0)) << "what was refused has run";
}

TEST_F(StreamQueues, AStreamMayBeGoneBeforeItsQueue) {
  auto gone = caller().stream();
  auto queue = gpu().wrap(gone.get());
  queue->copy(to().data(), from().data(), kSize, {});
  finish(*queue);
  EXPECT_TRUE(caller().synchronize(gone.get()));
  gone.reset();
  queue.reset();
}

}  // namespace
}  // namespace conccl::backend::hsa::hip
