// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/evidence/verdict.hpp"

#include <cxxabi.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <memory>

namespace conccl::bench {
namespace {

constexpr std::size_t kLongestName = 60;
constexpr std::size_t kNamesInText = 4;

std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return name;
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 ? text.get() : name;
}

/// "void a::f<b>(c)" is "a::f".
std::string without_arguments(const std::string& text) {
  const std::string head = text.substr(0, text.find_first_of("<("));
  const auto space = head.find_last_of(' ');
  return space == std::string::npos ? head : head.substr(space + 1);
}

std::string list_of(const std::set<std::string>& kernels) {
  std::set<std::string> names;
  for (const auto& kernel : kernels) names.insert(short_kernel_name(kernel));
  const auto shown = std::min(names.size(), kNamesInText);
  const auto end = std::next(names.begin(), static_cast<std::ptrdiff_t>(shown));
  std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

struct Finding {
  Carrier carrier = Carrier::unknown;
  std::string text;
};

std::string on_channels(Bytes bytes, Bytes expected, int channels) {
  return fmt::format("{} bytes of {} expected by {} asynchronous copy channel{}", bytes, expected,
                     channels, channels == 1 ? "" : "s");
}

Finding carried(const Traffic& traffic, Bytes bytes, Bytes expected) {
  std::string text = fmt::format("on copy engines: yes, {}, no kernel beside the GEMM",
                                 on_channels(bytes, expected, traffic.copy_channels));
  if (traffic.local_otherwise > 0) {
    text += fmt::format("; {} bytes within devices by other channels", traffic.local_otherwise);
  }
  return {Carrier::copy_engines, std::move(text)};
}

Finding judge(const Traffic& traffic, const std::set<std::string>& kernels,
              const ExpectedBytes& expected) {
  const Bytes peer = traffic.peer_by_copy_engine;
  const std::string moved = on_channels(peer, expected.peer, traffic.copy_channels);
  if (!kernels.empty()) {
    return {Carrier::others,
            fmt::format("on copy engines: no: kernels {} ran, {}", list_of(kernels), moved)};
  }
  if (traffic.peer_otherwise > 0) {
    return {Carrier::others, fmt::format("on copy engines: no: {} bytes between devices by other "
                                         "channels, {}",
                                         traffic.peer_otherwise, moved)};
  }
  if (peer >= expected.peer) return carried(traffic, peer, expected.peer);
  const Bytes engines = peer + traffic.local_by_copy_engine;
  const Bytes all = expected.peer + expected.own;
  if (traffic.local_otherwise == 0 && engines >= all) return carried(traffic, engines, all);
  return {Carrier::unknown,
          fmt::format("no evidence: {}; {} and {} bytes by copy engines and by other channels with "
                      "no second device on record",
                      moved, traffic.local_by_copy_engine, traffic.local_otherwise)};
}

}  // namespace

ExpectedBytes expected_bytes(const plan::Request& request) {
  const auto ranks = static_cast<Bytes>(request.ranks);
  const bool moves_own = request.placement == plan::Placement::out_of_place;
  return {ranks * (ranks - 1) * request.block, moves_own ? ranks * request.block : 0};
}

RowEvidence verdict(const Traffic& traffic, const std::set<std::string>& kernels,
                    const ExpectedBytes& expected) {
  Finding finding = judge(traffic, kernels, expected);
  return {finding.carrier, std::move(finding.text),         {}, expected.peer,
          traffic,         {kernels.begin(), kernels.end()}};
}

RowEvidence verdict(const Evidence& evidence, const ExpectedBytes& expected,
                    const std::set<std::string>& allowed_kernels) {
  RowEvidence row =
      verdict(traffic_of(evidence), without(kernel_names(evidence), allowed_kernels), expected);
  row.tracer = evidence.tracer;
  return row;
}

RowEvidence no_evidence(const std::string& reason) {
  RowEvidence row;
  row.text = fmt::format("no evidence: {}", reason);
  return row;
}

std::set<std::string> without(const std::set<std::string>& names,
                              const std::set<std::string>& allowed) {
  std::set<std::string> rest;
  std::set_difference(names.begin(), names.end(), allowed.begin(), allowed.end(),
                      std::inserter(rest, rest.end()));
  return rest;
}

std::string short_kernel_name(const std::string& name) {
  std::string text = without_arguments(demangled(name));
  if (text.empty()) text = name;
  if (text.size() > kLongestName) text = text.substr(0, kLongestName - 3) + "...";
  return text;
}

}  // namespace conccl::bench
