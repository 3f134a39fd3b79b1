// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <atomic>
#include <cstring>

#include "tests/backend/hsa/hip/support.hpp"

namespace conccl::backend::hsa::hip {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;

constexpr Bytes kSome = 64 * kKiB;

/// Whatever goes wrong, what the caller put into its stream behind the work runs.
class StreamFailures : public OnDoubles {
 protected:
  void SetUp() override {
    gpu_ = device(0);
    stream_ = caller().stream();
    wrapped_ = gpu_->wrap(stream_.get());
    from_ = gpu_->allocate(kSome);
    to_ = gpu_->allocate(kSome);
    std::memset(from_.data(), 1, kSome);
    std::memset(to_.data(), 0, kSome);
  }

  void copy() { wrapped_->copy(to_.data(), from_.data(), kSome, {}); }
  [[nodiscard]] int copied() const { return *static_cast<const unsigned char*>(to_.data()); }
  void expect_the_stream_goes_on() {
    std::atomic<bool> behind{false};
    caller().launch(stream_.get(), [&behind] { behind = true; });
    EXPECT_TRUE(caller().synchronize(stream_.get()));
    EXPECT_TRUE(behind);
  }
  /// A call that fails when work is submitted: it is named, the work does not happen, and the next
  /// does.
  void expect_refused(const std::string& call, int at) {
    SCOPED_TRACE(call);
    copy();
    fake_hip().set("fail", call);
    fake_hip().set("fail_at", std::to_string(at));
    EXPECT_THAT(refusal<RunError>([&] { wrapped_->submit(); }),
                AllOf(HasSubstr(call), HasSubstr("GPU 0"), HasSubstr("hipErrorUnknown (999)")));
    expect_the_stream_goes_on();
    EXPECT_TRUE(wrapped_->synchronize(kLimit));
    EXPECT_EQ(copied(), 0);
  }

  std::unique_ptr<Device> gpu_;
  std::shared_ptr<ihipStream_t> stream_;
  std::unique_ptr<Queue> wrapped_;
  Memory from_;
  Memory to_;
};

TEST_F(StreamFailures, ACallOfHipThatFailsIsNamedAndLeavesNothing) {
  expect_refused("hipStreamIsCapturing", 1);
  expect_refused("hipEventRecord", 1);
  expect_refused("hipStreamWriteValue64", 1);
  expect_refused("hipStreamWaitValue64", 1);
  expect_refused("hipEventRecord", 2);
  copy();
  finish(*wrapped_);
  EXPECT_EQ(copied(), 1);
  expect_the_stream_goes_on();
}

TEST_F(StreamFailures, AQueueThatCannotBeMadeSaysWhy) {
  const auto other = caller().stream();
  for (const char* call : {"hipEventCreateWithFlags", "hipSetDevice"}) {
    caller().set_device(1);
    fake_hip().set("fail", call);
    EXPECT_THAT(refusal<RunError>([&] { (void)gpu_->wrap(other.get()); }), HasSubstr(call));
    fake_hip().set("fail", "");
  }
}

TEST_F(StreamFailures, ADeviceThatFailsLetsTheStreamGo) {
  fake().set("fail_copy_at", 1);
  copy();
  wrapped_->submit();
  expect_the_stream_goes_on();
  EXPECT_THROW((void)wrapped_->synchronize(kLimit), RunError);
  EXPECT_THAT(gpu_->failure().value_or(""), HasSubstr("copy of"));
  copy();
  wrapped_->submit();
  expect_the_stream_goes_on();
}

TEST_F(StreamFailures, ADeviceThatFailedDoesNotWaitForTheStream) {
  const auto side = queue(*gpu_, plan::Engine::dma);
  fake_hip().set("hang_at", "1");
  copy();
  wrapped_->submit();
  fake().set("fail_copy_at", 1);
  side->copy(to_.data(), from_.data(), kSome, {});
  side->submit();
  EXPECT_THROW((void)side->synchronize(kLimit), RunError);
  EXPECT_THROW((void)wrapped_->synchronize(kLimit), RunError);
  wrapped_.reset();
  fake_hip().reset();
  expect_the_stream_goes_on();
}

TEST_F(StreamFailures, PoisonLetsTheStreamGoWithoutTheWork) {
  const auto flags = gpu_->make_flags(1);
  wrapped_->wait({flags.get(), 0}, 1);
  copy();
  wrapped_->submit();
  flags->poison();
  expect_the_stream_goes_on();
  EXPECT_TRUE(wrapped_->synchronize(kLimit));
  EXPECT_EQ(copied(), 0);
}

TEST_F(StreamFailures, AQueueThatIsDestroyedWaitsNoLongerThanItSaysForAStreamThatHangs) {
  fake_hip().set("hang_at", "1");
  copy();
  wrapped_->submit();
  const auto start = std::chrono::steady_clock::now();
  wrapped_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - start, 15s);
  EXPECT_EQ(copied(), 0);
  fake_hip().reset();
  expect_the_stream_goes_on();
  // Its words are no one else's: the stream has raised one of them late.
  wrapped_ = gpu_->wrap(stream_.get());
  copy();
  finish(*wrapped_);
  EXPECT_EQ(copied(), 1);
}

}  // namespace
}  // namespace conccl::backend::hsa::hip
