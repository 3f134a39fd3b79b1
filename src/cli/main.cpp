// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "conccl/cli/tool.hpp"

int main(int argc, char** argv) {
  return conccl::cli::run_tool(argc, argv, conccl::backend::Registry::standard());
}
