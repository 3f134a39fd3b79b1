// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The ConCCL paper's study beside the model's: figure by figure, fitted, given or predicted.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "conccl/c3/model/fit.hpp"

namespace conccl::c3 {

/// What a figure is, and how near the model should come to it.
enum class FigureKind {
  percent,  ///< of ideal, with the vendor's collective; the goal is 3 points
  speedup,  ///< over one after the other; the goal is 0.04
  ratio,    ///< of two times; the goal is a tenth
  count     ///< the goal is the same
};

/// How the model comes by a figure.
enum class FigureSource {
  fitted,  ///< a constant of the machine was fitted to it
  given,   ///< it went into the machine file or the suite, and comes out again
  predicted
};

/// One figure of the paper (arXiv 2412.14335).
struct PaperFigure {
  std::string what;
  FigureKind kind = FigureKind::percent;
  double paper = 0;
  double model = 0;
  FigureSource source = FigureSource::predicted;
};

[[nodiscard]] double goal_of(FigureKind kind);
/// Within the goal.
[[nodiscard]] bool reproduced(const PaperFigure& figure);

/// In the paper's order. `suite` stands for the paper's scenarios, whose table is not public.
/// Throws as `predict_suite`.
[[nodiscard]] std::vector<PaperFigure> paper_figures(const Machine& machine, const Suite& suite);

/// What the paper is about: each figure on a line, then what a tenth more or less of each fitted
/// constant does to every strategy.
[[nodiscard]] std::string to_text(std::span<const PaperFigure> figures);
[[nodiscard]] std::string to_text(std::span<const Sensitivity> sensitivities);

}  // namespace conccl::c3
