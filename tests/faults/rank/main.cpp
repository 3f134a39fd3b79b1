// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// conccl-rank [BACKEND DEVICE]: one rank as a process of its own, which does what it reads, line by
// line, and answers each line with "ok ..." or "error TYPE: ...". Says "ready" first; ends with its
// standard input. "exit" ends it at once, whatever is open.

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <iostream>
#include <string>

#include "conccl/core/errors.hpp"
#include "tests/faults/rank/commands.hpp"

namespace conccl::test {
namespace {

std::string type_of(const std::exception& error) {
  if (dynamic_cast<const InputError*>(&error) != nullptr) return "InputError";
  if (dynamic_cast<const CheckFailed*>(&error) != nullptr) return "CheckFailed";
  if (dynamic_cast<const Unavailable*>(&error) != nullptr) return "Unavailable";
  if (dynamic_cast<const RunError*>(&error) != nullptr) return "RunError";
  return "unexpected";
}

std::string answer(Commands& commands, const std::string& line) {
  try {
    return "ok " + commands.run(line);
  } catch (const std::exception& error) {
    return "error " + type_of(error) + ": " + error.what();
  }
}

void serve(const std::string& backend, int device) {
  Commands commands(backend, device);
  std::cout << "ready" << std::endl;
  std::string line;
  while (std::getline(std::cin, line)) {
    if (line == "exit") _exit(0);
    std::cout << answer(commands, line) << std::endl;
  }
}

}  // namespace
}  // namespace conccl::test

int main(int argc, char** argv) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  try {
    const std::string backend = argc > 1 ? argv[1] : "host";
    conccl::test::serve(backend, argc > 2 ? std::stoi(argv[2]) : 0);
    return 0;
  } catch (const std::exception& error) {
    std::cout << "error unexpected: " << error.what() << std::endl;
    return 1;
  }
}
