// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/hip/ordinals.hpp"

#include <algorithm>
#include <charconv>

namespace conccl::backend::hsa::hip {
namespace {

constexpr int kHex = 16;

/// Takes a number and the separator behind it; 0: none, the text ends.
bool take_number(std::string_view& rest, char separator, std::uint32_t most, std::uint32_t& value) {
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, kHex);
  if (error != std::errc{} || value > most) return false;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  if (separator == 0) return rest.empty();
  if (rest.empty() || rest.front() != separator) return false;
  rest.remove_prefix(1);
  return true;
}

}  // namespace

std::optional<PciAddress> parse_pci(std::string_view text) {
  std::uint32_t domain = 0;
  std::uint32_t bus = 0;
  std::uint32_t device = 0;
  std::uint32_t function = 0;
  if (!take_number(text, ':', ~0U, domain) || !take_number(text, ':', 0xFF, bus) ||
      !take_number(text, '.', 0x1F, device) || !take_number(text, 0, 0x7, function)) {
    return std::nullopt;
  }
  return PciAddress{domain, bus << 8 | device << 3 | function};
}

std::vector<std::optional<int>> ordinals_of(std::span<const PciAddress> gpus,
                                            std::span<const PciAddress> devices) {
  std::vector<std::optional<int>> ordinals;
  for (const PciAddress& gpu : gpus) {
    const auto found = std::ranges::find(devices, gpu);
    const bool single = std::ranges::count(gpus, gpu) == 1 && std::ranges::count(devices, gpu) == 1;
    ordinals.push_back(single ? std::optional<int>(static_cast<int>(found - devices.begin()))
                              : std::nullopt);
  }
  return ordinals;
}

}  // namespace conccl::backend::hsa::hip
