// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/code.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace conccl::test::fake_hsa {
namespace {

constexpr std::uint16_t kAmdGpu = 224;
constexpr std::uint32_t kMachineMask = 0xFF;
constexpr std::string_view kDescriptor = ".kd";

/// Machines of ELF flags and the ISA of each.
constexpr std::array<std::pair<std::uint32_t, std::uint32_t>, 6> kMachines{{
    {0x30, 0x908},
    {0x3F, 0x90A},
    {0x40, 0x940},
    {0x4B, 0x941},
    {0x4C, 0x942},
    {0x4F, 0x950},
}};

template <typename Record>
bool read_at(std::span<const std::byte> file, std::uint64_t offset, Record& record) {
  if (offset > file.size() || file.size() - offset < sizeof record) return false;
  std::memcpy(&record, file.data() + offset, sizeof record);
  return true;
}

std::string text_at(std::span<const std::byte> file, std::uint64_t offset) {
  std::string text;
  for (; offset < file.size() && file[offset] != std::byte{0}; ++offset) {
    text += static_cast<char>(file[offset]);
  }
  return text;
}

bool section_at(std::span<const std::byte> file, const Elf64_Ehdr& head, std::uint64_t index,
                Elf64_Shdr& section) {
  return index < head.e_shnum && read_at(file, head.e_shoff + index * sizeof(Elf64_Shdr), section);
}

void add_names(std::span<const std::byte> file, const Elf64_Shdr& symbols,
               const Elf64_Shdr& strings, CodeObject& object) {
  const auto count = std::min<std::uint64_t>(symbols.sh_size, file.size()) / sizeof(Elf64_Sym);
  for (std::uint64_t i = 0; i < count; ++i) {
    Elf64_Sym symbol{};
    if (!read_at(file, symbols.sh_offset + i * sizeof symbol, symbol)) return;
    if (symbol.st_shndx != SHN_UNDEF) {
      object.names.insert(text_at(file, strings.sh_offset + symbol.st_name));
    }
  }
}

}  // namespace

std::optional<CodeObject> read_code_object(std::span<const std::byte> file) {
  Elf64_Ehdr head{};
  if (!read_at(file, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != kAmdGpu) {
    return std::nullopt;
  }
  CodeObject object;
  object.machine = head.e_flags & kMachineMask;
  for (std::uint64_t i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr section{};
    Elf64_Shdr strings{};
    if (!section_at(file, head, i, section)) return std::nullopt;
    if (section.sh_type != SHT_DYNSYM) continue;
    if (!section_at(file, head, section.sh_link, strings)) return std::nullopt;
    add_names(file, section, strings, object);
  }
  if (object.names.empty()) return std::nullopt;
  return object;
}

bool machine_is(std::uint32_t machine, std::uint32_t isa) {
  return std::any_of(kMachines.begin(), kMachines.end(), [&](const auto& known) {
    return known.first == machine && known.second == isa;
  });
}

hsa_status_t CodeObjects::read(std::span<const std::byte> file, std::uint64_t& reader) {
  const std::lock_guard lock(mutex_);
  reader = ++last_;
  readers_[reader] = file;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t CodeObjects::destroy_reader(std::uint64_t reader) {
  const std::lock_guard lock(mutex_);
  return readers_.erase(reader) != 0 ? HSA_STATUS_SUCCESS
                                     : HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
}

std::uint64_t CodeObjects::make_executable() {
  const std::lock_guard lock(mutex_);
  executables_[++last_] = {};
  return last_;
}

hsa_status_t CodeObjects::destroy_executable(std::uint64_t executable) {
  const std::lock_guard lock(mutex_);
  return executables_.erase(executable) != 0 ? HSA_STATUS_SUCCESS
                                             : HSA_STATUS_ERROR_INVALID_EXECUTABLE;
}

hsa_status_t CodeObjects::load(std::uint64_t executable, const Agent& agent, std::uint32_t isa,
                               std::uint64_t reader) {
  const std::lock_guard lock(mutex_);
  const auto found = executables_.find(executable);
  if (found == executables_.end()) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (found->second.frozen) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  const auto file = readers_.find(reader);
  if (file == readers_.end()) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER;
  auto object = read_code_object(file->second);
  if (!object || !machine_is(object->machine, isa)) return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
  found->second.loaded[agent.index] = std::move(*object);
  return HSA_STATUS_SUCCESS;
}

hsa_status_t CodeObjects::freeze(std::uint64_t executable) {
  const std::lock_guard lock(mutex_);
  const auto found = executables_.find(executable);
  if (found == executables_.end()) return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  if (std::exchange(found->second.frozen, true)) return HSA_STATUS_ERROR_FROZEN_EXECUTABLE;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t CodeObjects::find_symbol(std::uint64_t executable, std::string_view name,
                                      const Agent& agent, std::uint64_t& symbol) {
  const std::lock_guard lock(mutex_);
  const auto found = executables_.find(executable);
  if (found == executables_.end() || !found->second.frozen) {
    return HSA_STATUS_ERROR_INVALID_EXECUTABLE;
  }
  auto& [frozen, loaded, symbols] = found->second;
  const auto object = loaded.find(agent.index);
  const bool known = object != loaded.end() && object->second.names.contains(name);
  if (!known || !name.ends_with(kDescriptor)) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  name.remove_suffix(kDescriptor.size());
  const Kernel* const kernel = find_kernel(name);
  if (kernel == nullptr) return HSA_STATUS_ERROR_INVALID_SYMBOL_NAME;
  symbol = ++last_;
  symbols[symbol] = {kernel, agent.index};
  return HSA_STATUS_SUCCESS;
}

std::optional<KernelSymbol> CodeObjects::symbol(std::uint64_t handle) {
  const std::lock_guard lock(mutex_);
  for (const auto& [executable, all] : executables_) {
    const auto found = all.symbols.find(handle);
    if (found != all.symbols.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace conccl::test::fake_hsa
