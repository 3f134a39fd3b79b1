// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/json.hpp"

namespace conccl::bench {
namespace {

std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Json as_json(const Summary& summary) {
  return {{"median", summary.median}, {"min", summary.min}, {"max", summary.max}, {"n", summary.n}};
}

Json as_json(const CheckCounts& counts) {
  return {{"bytes", counts.bytes},
          {"mismatches", counts.mismatches},
          {"gemm_mismatches", counts.gemm_mismatches}};
}

std::string line_of(const Json& json) { return text_of(json, -1); }

std::string file_of(const Json& json) { return text_of(json, 2) + "\n"; }

}  // namespace conccl::bench
