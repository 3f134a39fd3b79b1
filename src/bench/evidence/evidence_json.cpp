// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "bench/json.hpp"
#include "conccl/bench/evidence.hpp"

namespace conccl::bench {
namespace {

Json json_of(const Traffic& traffic) {
  return {{"peer_by_copy_engine", traffic.peer_by_copy_engine},
          {"peer_otherwise", traffic.peer_otherwise},
          {"local_by_copy_engine", traffic.local_by_copy_engine},
          {"local_otherwise", traffic.local_otherwise},
          {"host", traffic.host},
          {"copy_channels", traffic.copy_channels}};
}

}  // namespace

std::string_view name_of(Carrier carrier) {
  if (carrier == Carrier::copy_engines) return "copy_engines";
  return carrier == Carrier::others ? "others" : "unknown";
}

std::string to_json(const RowEvidence& evidence) {
  const Json json = {{"carrier", name_of(evidence.carrier)},
                     {"text", evidence.text},
                     {"tracer", evidence.tracer},
                     {"expected_bytes", evidence.expected_bytes},
                     {"traffic", json_of(evidence.traffic)},
                     {"kernels", evidence.kernels}};
  return line_of(json);
}

}  // namespace conccl::bench
