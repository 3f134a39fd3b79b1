// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/conformance/rows.hpp"

#include <algorithm>

namespace conccl::backend::hsa::conformance {
namespace {

constexpr const char* kUnseen[] = {
    "which physical engine an id stands for",
    "whether an engine that could not be made has silently become a compute kernel",
    "cache maintenance around a copy, which is the caller's",
    "whether a failed copy leaves a negative signal: no failure is provoked",
};

}  // namespace

std::span<const char* const> unseen_rules() { return kUnseen; }

std::vector<Row> all_rows() {
  std::vector<Row> rows;
  for (const auto part :
       {signal_rows(), pointer_rows(), access_rows(), copy_rows(), dependency_rows(), engine_rows(),
        busy_rows(), batch_rows(), ipc_rows()}) {
    rows.insert(rows.end(), part.begin(), part.end());
  }
  std::stable_partition(rows.begin(), rows.end(),
                        [](const Row& row) { return row.danger == Danger::none; });
  return rows;
}

}  // namespace conccl::backend::hsa::conformance
