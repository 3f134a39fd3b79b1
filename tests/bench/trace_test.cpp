// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// Timelines of runs as trace files: read back as a viewer would.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "bench/trace/trace_recorder.hpp"
#include "conccl/core/errors.hpp"
#include "tests/bench/trace_support.hpp"

namespace conccl::bench {
namespace {

using Json = nlohmann::json;
using test::Stage;

/// A trace file as a viewer sees it.
class Viewer {
 public:
  explicit Viewer(const std::string& text) : file_(Json::parse(text)) {
    for (const auto& event : file_.at("traceEvents")) {
      if (event.at("ph") == "X") slices_[{event.at("pid"), event.at("tid")}].push_back(event);
      if (event.at("ph") == "C") counters_[event.at("pid")].push_back(event);
      if (event.at("name") == "process_name") processes_[event.at("pid")] = name(event);
      if (event.at("name") == "thread_name") {
        threads_[{event.at("pid"), event.at("tid")}] = name(event);
      }
    }
  }

  using Thread = std::pair<int, int>;
  [[nodiscard]] const Json& about() const { return file_.at("otherData"); }
  [[nodiscard]] const std::map<Thread, std::vector<Json>>& slices() const { return slices_; }
  [[nodiscard]] const std::map<int, std::vector<Json>>& counters() const { return counters_; }
  [[nodiscard]] std::vector<std::string> processes() const {
    std::vector<std::string> names;
    for (const auto& [pid, text] : processes_) names.push_back(text);
    return names;
  }
  [[nodiscard]] std::string thread(const Thread& id) const { return threads_.at(id); }

  [[nodiscard]] Bytes bytes() const {
    Bytes sum = 0;
    for (const auto& [thread, slices] : slices_) {
      for (const auto& slice : slices) sum += slice.at("args").value("bytes", Bytes{0});
    }
    return sum;
  }
  /// Earliest start on any thread of a process, in microseconds.
  [[nodiscard]] std::map<int, double> first_starts() const {
    std::map<int, double> starts;
    for (const auto& [thread, slices] : slices_) {
      const double start = slices.front().at("ts");
      const auto [entry, added] = starts.emplace(thread.first, start);
      if (!added) entry->second = std::min(entry->second, start);
    }
    return starts;
  }

 private:
  static std::string name(const Json& event) { return event.at("args").at("name"); }

  Json file_;
  std::map<Thread, std::vector<Json>> slices_;
  std::map<int, std::vector<Json>> counters_;
  std::map<int, std::string> processes_;
  std::map<Thread, std::string> threads_;
};

void expect_no_overlap(const Viewer& viewer) {
  for (const auto& [thread, slices] : viewer.slices()) {
    double end = 0;
    for (const auto& slice : slices) {
      EXPECT_GE(slice.at("ts").get<double>(), end - 1e-6) << viewer.thread(thread);
      EXPECT_GE(slice.at("dur").get<double>(), 0);
      end = slice.at("ts").get<double>() + slice.at("dur").get<double>();
    }
  }
}

void expect_trace_of_conccl(const std::string& json, int ranks) {
  const Viewer viewer(json);
  std::vector<std::string> processes;
  for (int rank = 0; rank < ranks; ++rank) {
    processes.push_back("conccl: rank " + std::to_string(rank));
  }
  EXPECT_EQ(viewer.processes(), processes);
  const auto count = static_cast<Bytes>(ranks);
  EXPECT_EQ(viewer.bytes(), count * (count - 1) * test::kBlock);
  expect_no_overlap(viewer);
  std::map<int, int> gemms;
  std::map<int, int> copies;
  for (const auto& [thread, slices] : viewer.slices()) {
    const bool gemm = viewer.thread(thread).starts_with("gemm on ");
    for (const auto& slice : slices) {
      const std::string name = slice.at("name");
      EXPECT_TRUE(gemm ? name == "gemm" : name.starts_with("copy to rank ")) << name;
    }
    (gemm ? gemms : copies)[thread.first] += static_cast<int>(slices.size());
  }
  EXPECT_EQ(gemms.size(), count);
  EXPECT_EQ(copies.size(), count);
  EXPECT_EQ(viewer.counters().size(), count);
}

TEST(Trace, OfAllRanksHere) {
  test::on_ranks_here(3, [](Stage& stage) {
    TraceRecorder recorder({"a host", true, TraceClock::per_rank});
    recorder.record(stage.ranks, stage.workload, stage.strategy(), nullptr);
    expect_trace_of_conccl(recorder.json(), 3);
    const Viewer viewer(recorder.json());
    for (const auto& [process, start] : viewer.first_starts()) EXPECT_EQ(start, 0) << process;
    EXPECT_EQ(viewer.about().at("schema"), "conccl.trace/1");
    EXPECT_EQ(viewer.about().at("machine"), "a host");
    EXPECT_EQ(viewer.about().at("emulation"), true);
    EXPECT_THAT(viewer.about().at("clock"), testing::HasSubstr("clocks of their own"));
  });
}

TEST(Trace, OfRanksApartIsOnEveryProcess) {
  test::on_ranks_apart(3, [](Stage& stage) {
    TraceRecorder recorder({"a host", true, TraceClock::shared});
    recorder.record(stage.ranks, stage.workload, stage.strategy(), nullptr);
    expect_trace_of_conccl(recorder.json(), 3);
  });
}

TEST(Trace, ASharedClockKeepsTheDistanceBetweenRanks) {
  plan::Timeline timeline;
  timeline.spans.push_back({0, "comm0", 0, "dma0", Nanoseconds(5000), Nanoseconds(6000), 500});
  timeline.spans.push_back({1, "comm0", 0, "dma1", Nanoseconds(5250), Nanoseconds(6000), 500});
  const std::vector<TracedRun> runs{{"run", {}, timeline, {}}};
  const Viewer shared(trace_json({"", false, TraceClock::shared}, runs));
  EXPECT_THAT(shared.first_starts(), testing::ElementsAre(std::pair(0, 0.0), std::pair(1, 0.25)));
  const Viewer apart(trace_json({"", false, TraceClock::per_rank}, runs));
  EXPECT_THAT(apart.first_starts(), testing::ElementsAre(std::pair(0, 0.0), std::pair(1, 0.0)));
}

TEST(Trace, ATimelineIsAlsoPlainData) {
  test::on_ranks_here(2, [](Stage& stage) {
    const auto timeline = trace_run(stage.ranks, stage.workload, stage.strategy());
    Bytes bytes = 0;
    for (const auto& span : timeline.spans) bytes += span.bytes;
    EXPECT_EQ(bytes, 2 * test::kBlock);
  });
}

TEST(Trace, CopiesHandedOverTogetherLieSideBySide) {
  plan::Timeline timeline;
  for (int step = 0; step < 3; ++step) {
    timeline.spans.push_back({0, "comm0", step, "dma", Nanoseconds(100), Nanoseconds(200), 1000});
  }
  const Viewer viewer(trace_json({}, {{"run", {}, timeline, {}}}));
  expect_no_overlap(viewer);
  EXPECT_EQ(viewer.slices().size(), 3U);
  EXPECT_EQ(viewer.thread({0, 1}), "comm0 on dma");
  EXPECT_EQ(viewer.thread({0, 3}), "comm0 on dma #3");
  EXPECT_DOUBLE_EQ(viewer.counters().at(0).front().at("args").at("GB/s"), 30.0);
}

TEST(Trace, TracersRecordsAreProcessesOfTheirOwn) {
  CopyRecord copy;
  copy.kind = CopyKind::peer;
  copy.bytes = 4000;
  copy.destination = 1;
  copy.channel = 9;
  copy.type = ChannelType::copy_engine;
  copy.start = Nanoseconds(1'000'500);
  copy.end = Nanoseconds(1'001'500);
  CopyRecord untimed = copy;
  untimed.start = untimed.end = {};
  const Evidence records{
      "CUPTI", {copy, untimed}, {{"gemm", 0, Nanoseconds(1'000'000), Nanoseconds(1'002'000)}}};
  const Viewer viewer(trace_json({}, {{"run", {}, {}, {Evidence{}, records}}}));
  EXPECT_THAT(viewer.processes(), testing::ElementsAre("run: CUPTI, process of rank 1"));
  ASSERT_EQ(viewer.slices().size(), 2U);
  EXPECT_EQ(viewer.thread({0, 1}), "GPU 0 channel 9 (copy engine)");
  EXPECT_EQ(viewer.thread({0, 2}), "GPU 0 kernels");
  const Json& slice = viewer.slices().at({0, 1}).front();
  EXPECT_EQ(slice.at("name"), "copy GPU 0 to GPU 1");
  EXPECT_DOUBLE_EQ(slice.at("ts"), 0.5);
  EXPECT_DOUBLE_EQ(slice.at("dur"), 1.0);
  EXPECT_DOUBLE_EQ(slice.at("args").at("GB/s"), 4.0);
}

/// Has one kernel on record, or nothing and a reason.
class OneKernel : public Tracer {
 public:
  enum class Stop : std::uint8_t { works, fails };
  explicit OneKernel(Stop stop) : stop_(stop) {}
  void start() override {}
  Evidence stop() override {
    if (stop_ == Stop::fails) throw Unavailable("records were dropped");
    return {"one", {}, {{"k", 0, Nanoseconds(10), Nanoseconds(20)}}};
  }

 private:
  Stop stop_;
};

TEST(Trace, RecordsOfTheSameRunTravelWithTheTimeline) {
  test::on_ranks_apart(2, [](Stage& stage) {
    OneKernel tracer(stage.ranks.rank_of(0) == 1 ? OneKernel::Stop::fails : OneKernel::Stop::works);
    TraceRecorder recorder({});
    recorder.record(stage.ranks, stage.workload, stage.strategy(), &tracer);
    const Viewer viewer(recorder.json());
    EXPECT_THAT(viewer.processes(), testing::ElementsAre("conccl: rank 0", "conccl: rank 1",
                                                         "conccl: one, process of rank 0"));
  });
}

TEST(Trace, RunsFollowOneAnother) {
  plan::Timeline timeline;
  timeline.spans.push_back({0, "gemm", 0, "compute0", {}, Nanoseconds(10), 0});
  const Viewer viewer(trace_json({}, {{"one", {}, timeline, {}}, {"two", {}, timeline, {}}}));
  EXPECT_THAT(viewer.processes(), testing::ElementsAre("one: rank 0", "two: rank 0"));
}

}  // namespace
}  // namespace conccl::bench
