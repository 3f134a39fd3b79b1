// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// Code objects: files for AMD GPUs, of which the double takes the names and nothing else.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>

#include "tests/fakes/hsa/kernels.hpp"

namespace conccl::test::fake_hsa {

/// What a code object says of itself.
struct CodeObject {
  std::uint32_t machine = 0;                 ///< of the ELF flags, a processor
  std::set<std::string, std::less<>> names;  ///< of its symbols
};
/// Nothing unless it is an ELF file for AMD GPUs with symbols.
[[nodiscard]] std::optional<CodeObject> read_code_object(std::span<const std::byte> file);
/// Whether code for that machine runs on that ISA (0x942).
[[nodiscard]] bool machine_is(std::uint32_t machine, std::uint32_t isa);

/// A kernel as one GPU runs it.
struct KernelSymbol {
  const Kernel* kernel = nullptr;
  int agent = 0;
};

/// Handles of readers, executables, symbols and kernels never mean two things.
class CodeObjects {
 public:
  hsa_status_t read(std::span<const std::byte> file, std::uint64_t& reader);
  hsa_status_t destroy_reader(std::uint64_t reader);
  std::uint64_t make_executable();
  hsa_status_t destroy_executable(std::uint64_t executable);
  hsa_status_t load(std::uint64_t executable, const Agent& agent, std::uint32_t isa,
                    std::uint64_t reader);
  hsa_status_t freeze(std::uint64_t executable);
  hsa_status_t find_symbol(std::uint64_t executable, std::string_view name, const Agent& agent,
                           std::uint64_t& symbol);
  /// Nothing: there is none, or its executable is gone. A kernel object is its symbol's handle.
  [[nodiscard]] std::optional<KernelSymbol> symbol(std::uint64_t handle);

 private:
  struct Executable {
    bool frozen = false;
    std::map<int, CodeObject> loaded;  ///< by agent
    std::map<std::uint64_t, KernelSymbol> symbols;
  };

  std::mutex mutex_;
  std::uint64_t last_ = 0x100;
  std::map<std::uint64_t, std::span<const std::byte>> readers_;
  std::map<std::uint64_t, Executable> executables_;
};

}  // namespace conccl::test::fake_hsa
