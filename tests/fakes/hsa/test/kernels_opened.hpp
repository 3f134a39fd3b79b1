// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The double with a code object loaded for GPU 0, and a queue there.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "backend/hsa/kernel_args.hpp"
#include "tests/fakes/hsa/test/opened.hpp"

namespace conccl::test::fake_hsa {

/// The machine of gfx942 in an ELF file's flags.
inline constexpr std::uint32_t kGfx942 = 0x4C;

/// An ELF file for AMD GPUs that defines these symbols and holds no code.
[[nodiscard]] std::vector<std::byte> make_code_object(const std::vector<std::string>& names,
                                                      std::uint32_t machine = kGfx942);

/// Notes what a queue's error callback is told.
struct QueueErrors {
  std::atomic<int> seen{0};
  std::atomic<std::uint32_t> status{0};
};
void note_error(hsa_status_t status, hsa_queue_t* queue, void* errors);

class KernelsOpened : public Opened {
 protected:
  ~KernelsOpened() override;
  void SetUp() override;

  /// Of GPU 0.
  [[nodiscard]] std::uint64_t kernel_object(const std::string& name);
  [[nodiscard]] hsa_queue_t* make_queue();
  /// A dispatch of one workgroup with the arguments; `barrier`: behind all before it.
  template <typename Args>
  hsa_kernel_dispatch_packet_t packet(const std::string& name, const Args& args, hsa_signal_t done,
                                      bool barrier = true) {
    void* const where = host_memory(sizeof args);
    std::memcpy(where, &args, sizeof args);
    return packet_for(name, where, done, barrier);
  }
  [[nodiscard]] hsa_kernel_dispatch_packet_t packet_for(const std::string& name, void* arguments,
                                                        hsa_signal_t done, bool barrier);
  /// Writes 64 bytes into the next place of the queue, the header last.
  void put(const void* packet);
  void ring();
  /// Runs one kernel to its end.
  template <typename Args>
  void run(const std::string& name, const Args& args) {
    const auto done = signal();
    const auto dispatch = packet(name, args, done);
    put(&dispatch);
    ring();
    ASSERT_EQ(wait(done), 0) << name;
  }
  /// What the queue's callback is told within some seconds; 0: nothing.
  [[nodiscard]] std::uint32_t error();

  QueueErrors errors;
  Events events;
  std::vector<std::byte> code;
  hsa_executable_t executable{};
  hsa_queue_t* queue = nullptr;
};

}  // namespace conccl::test::fake_hsa
