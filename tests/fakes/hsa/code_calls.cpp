// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <cstring>

#include "tests/fakes/hsa/runtime.hpp"

namespace conccl::test::fake_hsa {

CONCCL_FAKE_HSA_API hsa_status_t hsa_code_object_reader_create_from_memory(
    const void* code, std::size_t bytes, hsa_code_object_reader_t* reader) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (code == nullptr || bytes == 0 || reader == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  return all->code.read({static_cast<const std::byte*>(code), bytes}, reader->handle);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_code_object_reader_destroy(hsa_code_object_reader_t reader) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  return all->code.destroy_reader(reader.handle);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_executable_create_alt(hsa_profile_t profile,
                                                           hsa_default_float_rounding_mode_t,
                                                           const char*,
                                                           hsa_executable_t* executable) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const bool known = profile == HSA_PROFILE_BASE || profile == HSA_PROFILE_FULL;
  if (!known || executable == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  executable->handle = all->code.make_executable();
  return HSA_STATUS_SUCCESS;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_executable_destroy(hsa_executable_t executable) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  return all->code.destroy_executable(executable.handle);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_executable_load_agent_code_object(
    hsa_executable_t executable, hsa_agent_t agent_handle, hsa_code_object_reader_t reader,
    const char*, hsa_loaded_code_object_t* loaded) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const Agent* const agent = all->topology.find(agent_handle);
  if (agent == nullptr || !agent->is_gpu()) return HSA_STATUS_ERROR_INVALID_AGENT;
  const auto status = all->code.load(executable.handle, *agent, all->topology.isa(), reader.handle);
  if (status == HSA_STATUS_SUCCESS && loaded != nullptr) loaded->handle = reader.handle;
  return status;
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_executable_freeze(hsa_executable_t executable, const char*) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  return all->code.freeze(executable.handle);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_executable_get_symbol_by_name(
    hsa_executable_t executable, const char* name, const hsa_agent_t* agent_handle,
    hsa_executable_symbol_t* symbol) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  if (name == nullptr || agent_handle == nullptr || symbol == nullptr) {
    return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  const Agent* const agent = all->topology.find(*agent_handle);
  if (agent == nullptr) return HSA_STATUS_ERROR_INVALID_AGENT;
  return all->code.find_symbol(executable.handle, name, *agent, symbol->handle);
}

CONCCL_FAKE_HSA_API hsa_status_t hsa_executable_symbol_get_info(
    hsa_executable_symbol_t symbol, hsa_executable_symbol_info_t attribute, void* value) {
  Runtime* const all = runtime();
  if (all == nullptr) return HSA_STATUS_ERROR_NOT_INITIALIZED;
  const auto found = all->code.symbol(symbol.handle);
  if (!found) return HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL;
  if (value == nullptr) return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  std::uint32_t bytes = 0;
  switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
      std::memcpy(value, &symbol.handle, sizeof symbol.handle);
      return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
      bytes = static_cast<std::uint32_t>(found->kernel->argument_bytes);
      break;
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
      break;
    default:
      return HSA_STATUS_ERROR_INVALID_ARGUMENT;
  }
  std::memcpy(value, &bytes, sizeof bytes);
  return HSA_STATUS_SUCCESS;
}

}  // namespace conccl::test::fake_hsa
