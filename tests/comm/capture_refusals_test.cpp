// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// What cannot be captured, and graphs whose communicator fails or goes.

#include <optional>

#include "conccl/core/errors.hpp"
#include "tests/comm/capture_support.hpp"

namespace conccl {
namespace {

using namespace conccl::test;
using testing::AllOf;
using testing::Each;
using testing::HasSubstr;

void expect_refused(const std::function<void()>& call, const std::string& why) {
  try {
    call();
    ADD_FAILURE() << "not refused: " << why;
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

TEST_F(Capture, OrdinaryBuffersAreRefused) {
  const auto ordinary = world().device(0).allocate(bytes());
  auto& comm = world().comm(0);
  stream(0).begin();
  expect_refused(
      [&] { comm.all_to_all(send(0), ordinary.data(), kBlock, DataType::uint8, stream(0)); },
      "all_to_all: its stream is being captured, and recv is an ordinary buffer");
  expect_refused(
      [&] { comm.all_gather(ordinary.data(), recv(0), kBlock, DataType::uint8, stream(0)); },
      "all_gather: its stream is being captured, and send is an ordinary buffer");
  static_cast<void>(stream(0).end());
  EXPECT_EQ(comm.async_error(), std::nullopt);
  fill(1);
  EXPECT_THAT(on_each_rank(ranks(), [&](int rank) { all_to_all(rank); }), Each(""));
  expect_exchanged(1);
}

TEST_F(Capture, APlanOfTheCallerIsRefused) {
  const plan::Request request{plan::Collective::all_to_all, ranks(), kBlock,
                              plan::Placement::out_of_place};
  const auto lanes = plan::build_rank(request, {}, 0);
  comm::PlanCall call;
  call.lanes = &lanes;
  call.request = request;
  call.flags = 2 * ranks();
  call.send = send(0);
  call.recv = recv(0);
  stream(0).begin();
  expect_refused([&] { world().comm(0).run(call, stream(0)); }, "a plan of the caller's cannot be");
}

TEST_F(Capture, ThatHasFailedIsRefused) {
  stream(0).begin();
  stream(0).fail();
  expect_refused([&] { all_to_all(0); }, "the capture of its stream has failed before");
  EXPECT_EQ(world().comm(0).async_error(), std::nullopt);
}

TEST_F(Capture, CallsThatDifferAreNamed) {
  const auto outcomes = on_each_rank(ranks(), [&](int rank) {
    stream(rank).begin();
    all_to_all(rank, rank == 1 ? kBlock / 2 : kBlock);
  });
  EXPECT_THAT(outcomes, Each(AllOf(HasSubstr("count of all_to_all differs between ranks"),
                                   HasSubstr("rank 1 has 1500"))));
}

class HastyCapture : public Capture {
 protected:
  HastyCapture() : Capture(2, World::with_deadline(200ms)) {}
};

TEST_F(HastyCapture, ARankThatDoesNotCaptureIsNamed) {
  stream(0).begin();
  try {
    all_to_all(0);
    ADD_FAILURE() << "not refused";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("rank 1 did not make call"),
                                    HasSubstr("(captured call) within 200 ms")));
  }
}

TEST_F(HastyCapture, AFailureEndsEveryReplay) {
  const auto graphs = capture([&](int rank) { all_to_all(rank); });
  for (int launched = 0; launched < 5; ++launched) stream(0).launch(graphs[0]);
  EXPECT_FALSE(stream(0).synchronize(20ms));
  world().comm(1).abort("enough");
  EXPECT_TRUE(stream(0).synchronize(kPatience));
  stream(0).launch(graphs[0]);
  EXPECT_TRUE(stream(0).synchronize(kPatience));
  stream(0).begin();
  try {
    all_to_all(0);
    ADD_FAILURE() << "not refused";
  } catch (const RunError& error) {
    EXPECT_THAT(error.what(), HasSubstr("aborted by rank 1: enough"));
  }
}

TEST_F(HastyCapture, GraphsMayOutliveTheCommunicator) {
  auto graphs = capture([&](int rank) { all_to_all(rank); });
  fill(4);
  launch(graphs);
  expect_exchanged(4);
  world().comms.clear();
  graphs.clear();
}

}  // namespace
}  // namespace conccl
