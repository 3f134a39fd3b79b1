// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/cli/tool.hpp"
#include "tests/cli/faulty/faulty_backend.hpp"

int main(int argc, char** argv) {
  conccl::test::share_compares_with_children();
  auto registry = conccl::backend::Registry::standard();
  registry.add(conccl::test::faulty_entry());
  return conccl::cli::run_tool(argc, argv, registry);
}
