// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/c3/model/reproduce.hpp"

#include <gmock/gmock.h>

#include "tests/c3/model/support.hpp"
#include "tests/support/golden.hpp"

namespace conccl::c3 {
namespace {

TEST(Reproduce, SetsThePaperBesideTheModel) {
  const Machine machine = load_known_machine("mi300x");
  const Suite suite = load_suite("llama");
  EXPECT_GOLDEN("c3/reproduce.txt",
                to_text(paper_figures(machine, suite)) + "\n" +
                    to_text(sensitivities(machine, suite, paper_targets(), strategies())));
}

TEST(Reproduce, ThreeFiguresAreFittedAndThoseAreMet) {
  int fitted = 0;
  for (const auto& figure : paper_figures(load_known_machine("mi300x"), load_suite("llama"))) {
    if (figure.source != FigureSource::fitted) continue;
    ++fitted;
    EXPECT_TRUE(reproduced(figure)) << figure.what;
  }
  EXPECT_EQ(fitted, 3);
}

TEST(Reproduce, GoalsAreOfTheKind) {
  EXPECT_TRUE(reproduced({"", FigureKind::percent, 40, 43}));
  EXPECT_FALSE(reproduced({"", FigureKind::percent, 40, 43.1}));
  EXPECT_TRUE(reproduced({"", FigureKind::speedup, 1.4, 1.36}));
  EXPECT_FALSE(reproduced({"", FigureKind::speedup, 1.4, 1.34}));
  EXPECT_TRUE(reproduced({"", FigureKind::ratio, 4, 3.7}));
  EXPECT_FALSE(reproduced({"", FigureKind::ratio, 1, 1.2}));
  EXPECT_TRUE(reproduced({"", FigureKind::count, 8, 8}));
  EXPECT_FALSE(reproduced({"", FigureKind::count, 8, 9}));
}

}  // namespace
}  // namespace conccl::c3
