// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Another process with the double open, for the tests of exchange.
///   conccl-fake-hsa-peer export BYTES     exports memory of GPU 1, says "handle TEXT"; frees it at
///                                         SIGUSR1, says "freed"; ends at the next
///   conccl-fake-hsa-peer import TEXT BYTES
///                                         attaches, says "attached" or "refused"; at SIGUSR1 says
///                                         "first VALUE", pushes 9 into it from GPU 0, says
///                                         "pushed"
#include <csignal>
#include <cstdio>
#include <string>

#include "tests/fakes/hsa/test/handle_text.hpp"
#include "tests/fakes/hsa/test/opened.hpp"

namespace conccl::test::fake_hsa {
namespace {

void say(const std::string& line) {
  std::puts(line.c_str());
  std::fflush(stdout);
}

class Peer : public Opened {
 public:
  Peer() {
    sigemptyset(&wanted_);
    sigaddset(&wanted_, SIGUSR1);
    sigprocmask(SIG_BLOCK, &wanted_, nullptr);
    open();
  }
  void TestBody() override {}

  int export_memory(std::size_t bytes) {
    void* const base = device_memory(1, bytes, 5);
    hsa_amd_ipc_memory_t handle{};
    if (calls.hsa_amd_ipc_memory_create(base, bytes, &handle) != HSA_STATUS_SUCCESS) return 1;
    say("handle " + to_text(handle));
    pause();
    close();
    say("freed");
    pause();
    return 0;
  }

  int import_memory(const std::string& text, std::size_t bytes) {
    const auto handle = to_handle(text);
    void* base = nullptr;
    const auto status = calls.hsa_amd_ipc_memory_attach(
        &handle, bytes, static_cast<std::uint32_t>(gpus.size()), gpus.data(), &base);
    say(status == HSA_STATUS_SUCCESS ? "attached" : "refused");
    if (status != HSA_STATUS_SUCCESS) return 0;
    pause();
    say("first " + std::to_string(*static_cast<unsigned char*>(base)));
    const auto done = signal();
    if (copy({base, device_memory(0, bytes, 9), bytes, done}) != HSA_STATUS_SUCCESS) return 1;
    if (wait(done) != 0) return 1;
    say("pushed");
    return calls.hsa_amd_ipc_memory_detach(base) == HSA_STATUS_SUCCESS ? 0 : 1;
  }

 private:
  void pause() {
    int number = 0;
    sigwait(&wanted_, &number);
  }

  sigset_t wanted_{};
};

}  // namespace
}  // namespace conccl::test::fake_hsa

int main(int argc, char** argv) {
  const std::string command = argc > 2 ? argv[1] : "";
  conccl::test::fake_hsa::Peer peer;
  if (command == "export") return peer.export_memory(std::stoul(argv[2]));
  if (command == "import" && argc > 3) return peer.import_memory(argv[2], std::stoul(argv[3]));
  std::fputs("usage: conccl-fake-hsa-peer export BYTES | import TEXT BYTES\n", stderr);
  return 2;
}
