// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "comm/post.hpp"

#include <fmt/format.h>

namespace conccl::comm {
namespace {

std::string_view name_of(plan::Placement placement) {
  return placement == plan::Placement::in_place ? "in place" : "out of place";
}

std::string text_of(const std::optional<GemmSpec>& gemm) {
  return gemm ? to_string(*gemm) : "none";
}

std::string location_text(const Location& location) {
  return location.window < 0 ? "an ordinary buffer"
                             : fmt::format("window {} offset {}", location.window, location.offset);
}

bool same_place(const Location& a, const Location& b) {
  return a.window == b.window && (a.window < 0 || a.offset == b.offset);
}

}  // namespace

std::string_view name_of(Operation operation) {
  switch (operation) {
    case Operation::all_gather:
      return "all_gather";
    case Operation::all_to_all:
      return "all_to_all";
    case Operation::plan:
      return "plan";
    case Operation::register_window:
      return "register_window";
    case Operation::exchange:
      return "exchange";
    case Operation::shared_flags:
      return "shared_flags";
    case Operation::capture:
      return "captured call";
  }
  return "unknown";
}

std::optional<std::string> mismatch(int rank_a, const Post& a, int rank_b, const Post& b) {
  const auto differ = [&](std::string_view what, auto value_a, auto value_b) {
    return fmt::format("{} differs between ranks: rank {} has {}, rank {} has {}", what, rank_a,
                       value_a, rank_b, value_b);
  };
  if (a.operation != b.operation) {
    return differ("operation", name_of(a.operation), name_of(b.operation));
  }
  const auto name = [&a](std::string_view what) {
    return fmt::format("{} of {}", what, name_of(a.operation));
  };
  if (a.collective != b.collective) {
    return differ(name("collective"), plan::name_of(a.collective), plan::name_of(b.collective));
  }
  if (a.count != b.count) return differ(name("count"), a.count, b.count);
  if (a.type != b.type) return differ(name("type"), name_of(a.type), name_of(b.type));
  if (a.count == 0) return std::nullopt;  // touches nothing, wherever its buffers are
  if (a.placement != b.placement) {
    return differ(name("placement"), name_of(a.placement), name_of(b.placement));
  }
  if (a.beside != b.beside) {
    return differ(name("concurrent GEMM"), text_of(a.beside), text_of(b.beside));
  }
  if (a.operation == Operation::register_window) return std::nullopt;
  if (!same_place(a.recv, b.recv)) {
    return differ(name("recv"), location_text(a.recv), location_text(b.recv));
  }
  if (a.placement == plan::Placement::out_of_place && !same_place(a.send, b.send)) {
    return differ(name("send"), location_text(a.send), location_text(b.send));
  }
  return std::nullopt;
}

}  // namespace conccl::comm
