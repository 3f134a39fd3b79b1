// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/test/kernels_opened.hpp"

#include <elf.h>

#include <thread>

namespace conccl::test::fake_hsa {
namespace {

template <typename Record>
void append(std::vector<std::byte>& file, const Record& record) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&record);
  file.insert(file.end(), bytes, bytes + sizeof record);
}

Elf64_Ehdr head_of(std::uint32_t machine) {
  Elf64_Ehdr head{};
  std::memcpy(head.e_ident, ELFMAG, SELFMAG);
  head.e_ident[EI_CLASS] = ELFCLASS64;
  head.e_ident[EI_DATA] = ELFDATA2LSB;
  head.e_machine = 224;
  head.e_flags = machine;
  head.e_shoff = sizeof head;
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = 3;
  return head;
}

const std::vector<std::string>& all_kernels() {
  static const std::vector<std::string> names{
      "conccl_fill",        "conccl_set",    "conccl_compare", "conccl_conclude",
      "conccl_differences", "conccl_random", "conccl_copy",    "conccl_reduce"};
  return names;
}

}  // namespace

std::vector<std::byte> make_code_object(const std::vector<std::string>& names,
                                        std::uint32_t machine) {
  std::string strings(1, '\0');
  std::vector<Elf64_Sym> symbols(1);
  for (const auto& name : names) {
    Elf64_Sym symbol{};
    symbol.st_name = static_cast<Elf64_Word>(strings.size());
    symbol.st_shndx = 1;
    symbols.push_back(symbol);
    strings += name + ".kd" + '\0';
  }
  Elf64_Shdr table{};
  table.sh_type = SHT_DYNSYM;
  table.sh_link = 2;
  table.sh_offset = sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Shdr);
  table.sh_size = symbols.size() * sizeof(Elf64_Sym);
  Elf64_Shdr text{};
  text.sh_type = SHT_STRTAB;
  text.sh_offset = table.sh_offset + table.sh_size;
  text.sh_size = strings.size();
  std::vector<std::byte> file;
  append(file, head_of(machine));
  append(file, Elf64_Shdr{});
  append(file, table);
  append(file, text);
  for (const auto& symbol : symbols) append(file, symbol);
  for (const char letter : strings) append(file, letter);
  return file;
}

void note_error(hsa_status_t status, hsa_queue_t*, void* errors) {
  auto& noted = *static_cast<QueueErrors*>(errors);
  noted.status = status;
  ++noted.seen;
}

void KernelsOpened::SetUp() {
  open();
  ASSERT_EQ(calls.hsa_amd_register_system_event_handler(note_event, &events), HSA_STATUS_SUCCESS);
  code = make_code_object(all_kernels());
  hsa_code_object_reader_t reader{};
  ASSERT_EQ(calls.hsa_code_object_reader_create_from_memory(code.data(), code.size(), &reader),
            HSA_STATUS_SUCCESS);
  ASSERT_EQ(calls.hsa_executable_create_alt(
                HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable),
            HSA_STATUS_SUCCESS);
  ASSERT_EQ(
      calls.hsa_executable_load_agent_code_object(executable, gpus[0], reader, nullptr, nullptr),
      HSA_STATUS_SUCCESS);
  ASSERT_EQ(calls.hsa_code_object_reader_destroy(reader), HSA_STATUS_SUCCESS);
  ASSERT_EQ(calls.hsa_executable_freeze(executable, nullptr), HSA_STATUS_SUCCESS);
  queue = make_queue();
}

KernelsOpened::~KernelsOpened() {
  if (queue != nullptr) calls.hsa_queue_destroy(queue);
}

std::uint64_t KernelsOpened::kernel_object(const std::string& name) {
  hsa_executable_symbol_t symbol{};
  EXPECT_EQ(calls.hsa_executable_get_symbol_by_name(executable, (name + ".kd").c_str(), gpus.data(),
                                                    &symbol),
            HSA_STATUS_SUCCESS)
      << name;
  std::uint64_t object = 0;
  EXPECT_EQ(calls.hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT,
                                                 &object),
            HSA_STATUS_SUCCESS);
  return object;
}

hsa_queue_t* KernelsOpened::make_queue() {
  hsa_queue_t* made = nullptr;
  EXPECT_EQ(calls.hsa_queue_create(gpus[0], 64, HSA_QUEUE_TYPE_MULTI, note_error, &errors,
                                   UINT32_MAX, UINT32_MAX, &made),
            HSA_STATUS_SUCCESS);
  return made;
}

hsa_kernel_dispatch_packet_t KernelsOpened::packet_for(const std::string& name, void* arguments,
                                                       hsa_signal_t done, bool barrier) {
  hsa_kernel_dispatch_packet_t made{};
  made.header = static_cast<std::uint16_t>(
      HSA_PACKET_TYPE_KERNEL_DISPATCH | (barrier ? 1U << HSA_PACKET_HEADER_BARRIER : 0U) |
      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
  made.setup = 1;
  made.workgroup_size_x = backend::hsa::kWorkgroup;
  made.workgroup_size_y = 1;
  made.workgroup_size_z = 1;
  made.grid_size_x = backend::hsa::kWorkgroup;
  made.grid_size_y = 1;
  made.grid_size_z = 1;
  made.kernel_object = kernel_object(name);
  made.kernarg_address = arguments;
  made.completion_signal = done;
  return made;
}

void KernelsOpened::put(const void* packet) {
  const auto index = calls.hsa_queue_load_write_index_relaxed(queue);
  auto* const place = static_cast<std::byte*>(queue->base_address) + index % queue->size * 64;
  std::memcpy(place + 2, static_cast<const std::byte*>(packet) + 2, 62);
  std::uint16_t header = 0;
  std::memcpy(&header, packet, sizeof header);
  std::atomic_ref(*reinterpret_cast<std::uint16_t*>(place)).store(header);
  calls.hsa_queue_store_write_index_screlease(queue, index + 1);
}

void KernelsOpened::ring() {
  const auto last = calls.hsa_queue_load_write_index_relaxed(queue) - 1;
  calls.hsa_signal_store_screlease(queue->doorbell_signal, static_cast<std::int64_t>(last));
}

std::uint32_t KernelsOpened::error() {
  for (int look = 0; look < 2000 && errors.seen == 0; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return errors.status;
}

}  // namespace conccl::test::fake_hsa
