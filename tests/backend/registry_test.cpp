// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/backend/registry.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "conccl/backend/host.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::backend {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::unique_ptr<Backend> never() { throw Unavailable("no such hardware"); }

template <typename Expected>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Expected& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(Registry, OpensByNameAndByDefault) {
  EXPECT_EQ(open("host")->capabilities().backend, "host");
  EXPECT_NE(open(), nullptr);
}

TEST(Registry, AnUnknownNameIsAnsweredWithTheKnownOnes) {
  Registry registry = Registry::standard();
  registry.add({"other", never});
  EXPECT_THAT(message_of<InputError>([&] { (void)registry.open("tpu"); }),
              AllOf(HasSubstr("\"tpu\""), HasSubstr("host"), HasSubstr("other")));
}

TEST(Registry, TheDefaultIsTheFirstThatOpens) {
  Registry registry;
  registry.add({"first", never});
  registry.add({"host", open_host});
  EXPECT_EQ(registry.open("")->capabilities().backend, "host");
  EXPECT_THROW((void)registry.open("first"), Unavailable);
}

TEST(Registry, WhenNothingOpensEveryReasonIsGiven) {
  Registry registry;
  registry.add({"one", never});
  registry.add({"two", never});
  EXPECT_THAT(message_of<Unavailable>([&] { (void)registry.open(""); }),
              AllOf(HasSubstr("one: no such hardware"), HasSubstr("two: no such hardware")));
}

}  // namespace
}  // namespace conccl::backend
