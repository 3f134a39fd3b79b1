// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <ostream>

#include "conccl/core/errors.hpp"
#include "conccl/plan/build.hpp"
#include "conccl/plan/text.hpp"

namespace conccl::plan {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr Bytes kMaxBytes = std::numeric_limits<std::int64_t>::max();

rc::Gen<std::int32_t> any_count() {
  return rc::gen::inRange<std::int32_t>(0, std::numeric_limits<std::int32_t>::max());
}

rc::Gen<Bytes> any_bytes() {
  return rc::gen::oneOf(rc::gen::inRange<Bytes>(0, 4096), rc::gen::inRange<Bytes>(0, kMaxBytes),
                        rc::gen::just(kMaxBytes));
}

rc::Gen<Ref> any_ref() {
  return rc::gen::build<Ref>(
      rc::gen::set(&Ref::rank, any_count()),
      rc::gen::set(&Ref::buffer,
                   rc::gen::element(BufferKind::send, BufferKind::recv, BufferKind::scratch)),
      rc::gen::set(&Ref::offset, any_bytes()));
}

template <typename Kind, typename... Sets>
rc::Gen<Step> any_step_of(const Sets&... sets) {
  return rc::gen::map(rc::gen::build<Kind>(sets...), [](const Kind& kind) { return Step(kind); });
}

rc::Gen<Step> any_step() {
  return rc::gen::oneOf(
      any_step_of<Copy>(rc::gen::set(&Copy::src, any_ref()), rc::gen::set(&Copy::dst, any_ref()),
                        rc::gen::set(&Copy::bytes, any_bytes())),
      any_step_of<Signal>(rc::gen::set(&Signal::rank, any_count()),
                          rc::gen::set(&Signal::flag, any_count())),
      any_step_of<Wait>(rc::gen::set(&Wait::flag, any_count())),
      any_step_of<Compute>(rc::gen::set(&Compute::task, any_count())));
}

/// Any UTF-8, quotes and control characters included.
rc::Gen<std::string> any_text() {
  return rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127));
}

rc::Gen<Lane> any_lane() {
  return rc::gen::build<Lane>(
      rc::gen::set(&Lane::label, any_text()),
      rc::gen::set(&Lane::engine, rc::gen::element(Engine::dma, Engine::compute)),
      rc::gen::set(
          &Lane::share,
          rc::gen::build<Share>(
              rc::gen::set(&Share::kind, rc::gen::element(Share::Kind::all, Share::Kind::only,
                                                          Share::Kind::all_but)),
              rc::gen::set(&Share::units, any_count()))),
      rc::gen::set(&Lane::priority, rc::gen::element(Priority::normal, Priority::high)),
      rc::gen::set(&Lane::launch_rank, any_count()),
      rc::gen::set(&Lane::steps, rc::gen::container<std::vector<Step>>(any_step())));
}

rc::Gen<Plan> any_plan() {
  const auto rank = rc::gen::build<RankPlan>(
      rc::gen::set(&RankPlan::lanes, rc::gen::container<std::vector<Lane>>(any_lane())));
  const auto request = rc::gen::build<Request>(
      rc::gen::set(&Request::collective, rc::gen::elementOf(all_collectives())),
      rc::gen::set(&Request::ranks, rc::gen::inRange(1, 4096)),
      rc::gen::set(&Request::block, rc::gen::inRange<Bytes>(0, kMaxBytes / 4096)));
  return rc::gen::build<Plan>(
      rc::gen::set(&Plan::request, request), rc::gen::set(&Plan::algorithm, any_text()),
      rc::gen::set(&Plan::scratch_bytes, any_bytes()), rc::gen::set(&Plan::flags, any_count()),
      rc::gen::set(&Plan::tasks, rc::gen::container<std::vector<std::string>>(any_text())),
      rc::gen::set(&Plan::ranks, rc::gen::container<std::vector<RankPlan>>(rank)));
}

RC_GTEST_PROP(PlanJson, AnyPlanComesBackAsItWas, ()) {
  const Plan plan = *rc::gen::resize(8, any_plan());
  RC_ASSERT(plan_from_json(to_json(plan), "plan.json") == plan);
}

RC_GTEST_PROP(PlanJson, BuiltPlansComeBackAsTheyWere, ()) {
  Request request;
  request.collective = *rc::gen::elementOf(all_collectives());
  request.ranks = *rc::gen::inRange(1, 9);
  request.block = *rc::gen::inRange<Bytes>(0, 1 << 20);
  if (request.collective == Collective::all_gather) {
    request.placement = *rc::gen::element(Placement::in_place, Placement::out_of_place);
  }
  Method method;
  method.form = *rc::gen::element(Form::dma, Form::compute);
  method.direction = *rc::gen::element(Direction::push, Direction::pull);
  method.engines = *rc::gen::inRange(1, 9);
  const Plan plan = build(request, method);
  RC_ASSERT(plan_from_json(to_json(plan), "plan.json") == plan);
}

RC_GTEST_PROP(PlanJson, CutTextIsRefusedAtItsEnd, ()) {
  const std::string whole = to_json(build({Collective::all_gather, 2, 8, {}}, {}));
  // The last two bytes are the closing brace and a newline.
  const auto kept = *rc::gen::inRange<std::size_t>(0, whole.size() - 1);
  RC_ASSERT_THROWS_AS((void)plan_from_json(whole.substr(0, kept), "plan.json"), InputError);
}

std::string valid_json() { return to_json(build({Collective::all_gather, 2, 8, {}}, {})); }

/// A valid plan's JSON with the first `from` replaced by `to`.
std::string edited(const std::string& from, const std::string& to) {
  std::string json = valid_json();
  const auto place = json.find(from);
  EXPECT_NE(place, std::string::npos) << from;
  return place == std::string::npos ? json : json.replace(place, from.size(), to);
}

std::string error_of(const std::string& json) {
  try {
    static_cast<void>(plan_from_json(json, "plan.json"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

struct BadInput {
  std::string name;
  std::string from;
  std::string to;
  std::string error;

  friend std::ostream& operator<<(std::ostream& out, const BadInput& bad) {
    return out << bad.name;
  }
};

class BadPlanJson : public testing::TestWithParam<BadInput> {};

TEST_P(BadPlanJson, IsRefusedByItsPath) {
  const auto& bad = GetParam();
  EXPECT_EQ(error_of(edited(bad.from, bad.to)), "plan.json: " + bad.error);
}

constexpr auto kStep = "ranks[0].lanes[0].steps";

INSTANTIATE_TEST_SUITE_P(
    Fields, BadPlanJson,
    testing::Values(
        BadInput{"Schema", "conccl.plan/1", "conccl.plan/2",
                 R"(schema: expected "conccl.plan/1", found "conccl.plan/2")"},
        BadInput{"NoSchema", "\"schema\"", "\"scheme\"", "schema: missing"},
        BadInput{"Unknown", R"("flags": 4,)", R"("flags": 4, "colour": "red",)",
                 "colour: unknown field; known are schema, request, algorithm, scratch_bytes, "
                 "flags, tasks, ranks"},
        BadInput{"Missing", R"("flags": 4,)", "", "flags: missing"},
        BadInput{"Twice", R"("flags": 4,)", R"("flags": 4, "flags": 5,)",
                 R"(field "flags" given twice)"},
        BadInput{"Negative", R"("flag": 0})", R"("flag": -3})",
                 std::string(kStep) + "[0].flag: expected an integer in 0 .. 2147483647, found -3"},
        BadInput{
            "Fraction", R"("flag": 0})", R"("flag": 0.5})",
            std::string(kStep) + "[0].flag: expected an integer in 0 .. 2147483647, found 0.5"},
        BadInput{"OverInt", R"("flag": 0})", R"("flag": 2147483648})",
                 std::string(kStep) +
                     "[0].flag: expected an integer in 0 .. 2147483647, found 2147483648"},
        BadInput{"OverSize", R"("block": 8)", R"("block": 9223372036854775808)",
                 "request.block: expected an integer in 0 .. 9223372036854775807, found "
                 "9223372036854775808"},
        BadInput{
            "NotANumber", R"("flag": 0})", R"("flag": "0"})",
            std::string(kStep) + "[0].flag: expected an integer in 0 .. 2147483647, found \"0\""},
        BadInput{"StepKind", R"("step": "wait")", R"("step": "sleep")",
                 std::string(kStep) + R"([1].step: expected one of "copy", "signal", "wait", )" +
                     R"("compute", found "sleep")"},
        BadInput{"Buffer", R"("buffer": "send")", R"("buffer": "sent")",
                 std::string(kStep) + R"([2].src.buffer: expected one of "send", "recv", )" +
                     R"("scratch", found "sent")"},
        BadInput{"ListForObject", R"("share": {"kind": "all", "units": 0})", R"("share": [])",
                 "ranks[0].lanes[0].share: expected an object, found a list"},
        BadInput{"ObjectForList", R"("tasks": [])", R"("tasks": {})",
                 "tasks: expected a list, found an object"},
        BadInput{"Label", R"("label": "comm0")", R"("label": null)",
                 "ranks[0].lanes[0].label: expected a text, found null"}),
    [](const auto& bad) { return bad.param.name; });

TEST(PlanJson, RefusesARequestThatMakesNoSense) {
  EXPECT_THAT(error_of(edited(R"("ranks": 2)", R"("ranks": 0)")),
              StartsWith("plan.json: request: ranks: 0 is not in 1 .. "));
  EXPECT_THAT(error_of(edited(R"("collective": "all_gather")", R"("collective": "gather")")),
              StartsWith("plan.json: request.collective: "));
  EXPECT_THAT(error_of(edited(R"("block": 8)", R"("block": 9223372036854775807)")),
              StartsWith("plan.json: request: "));
}

TEST(PlanJson, NamesLineAndColumnOfBadSyntax) {
  EXPECT_THAT(error_of(edited(R"("scratch_bytes": 0,)", R"("scratch_bytes": 0;)")),
              StartsWith("plan.json:5:19: "));
  EXPECT_THAT(error_of(""), StartsWith("plan.json:1:1: "));
  EXPECT_THAT(error_of("{\n  ]"), StartsWith("plan.json:2:3: "));
  EXPECT_THAT(error_of(valid_json() + "x"), HasSubstr(": syntax error"));
}

TEST(PlanJson, RefusesNumbersBeyondDouble) {
  EXPECT_THAT(error_of(edited(R"("block": 8)", R"("block": 1e999)")), HasSubstr("1e999"));
  EXPECT_THAT(error_of(edited(R"("block": 8)", R"("block": 18446744073709551616)")),
              HasSubstr("request.block: expected an integer in 0 .. 9223372036854775807"));
}

TEST(PlanJson, RefusesDeepNestingWithoutUsingTheStack) {
  EXPECT_EQ(error_of(std::string(1'000'000, '[')), "plan.json: nested deeper than 16 levels");
}

TEST(PlanJson, RefusesTextThatIsNotUtf8) {
  EXPECT_THAT(error_of(edited("comm0", "comm\xff")), StartsWith("plan.json:"));
}

TEST(PlanJson, RefusesANulAndWhatIsBehindIt) {
  EXPECT_EQ(error_of(valid_json() + std::string("\0}", 2)),
            "plan.json:26:1: a NUL byte; expected JSON text");
}

TEST(PlanJson, WritesLabelsThatAreNotUtf8) {
  Plan plan = build({Collective::all_gather, 2, 8, {}}, {});
  plan.ranks[0].lanes[0].label = "\xff";
  EXPECT_EQ(plan_from_json(to_json(plan), "plan.json").ranks[0].lanes[0].label, "\xEF\xBF\xBD");
}

}  // namespace
}  // namespace conccl::plan
