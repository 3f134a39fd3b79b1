// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/kernel_images.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <optional>

#include "backend/hsa/kernels.hpp"

namespace conccl::backend::hsa {
namespace {

using Image = std::span<const unsigned char>;

template <typename T>
T read(Image image, std::uint64_t at) {
  T value{};
  if (at + sizeof(T) > image.size()) {
    ADD_FAILURE() << "byte " << at << " of an image of " << image.size();
    return value;
  }
  std::memcpy(&value, image.data() + at, sizeof(T));
  return value;
}

/// The head of what HSA calls a kernel descriptor, 64 bytes.
struct Descriptor {
  std::uint32_t group_bytes;
  std::uint32_t private_bytes;
  std::uint32_t kernarg_bytes;
  std::uint32_t reserved;
  std::int64_t code;  ///< from here
  std::uint32_t others[6];
  std::uint32_t registers;  ///< of the program: how it rounds, among much else
};
static_assert(offsetof(Descriptor, registers) == 48);

/// What an image's header calls these GPUs.
const std::map<std::string_view, unsigned> kMachines{{"gfx90a", 0x3F}, {"gfx942", 0x4C}};

/// The entries of the first section of a type.
template <typename Entry>
std::vector<Entry> entries(Image image, std::uint32_t type, Elf64_Shdr* section) {
  std::vector<Entry> found;
  const auto header = read<Elf64_Ehdr>(image, 0);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    *section = read<Elf64_Shdr>(image, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (section->sh_type != type) continue;
    for (std::uint64_t at = 0; at < section->sh_size; at += sizeof(Entry)) {
      found.push_back(read<Entry>(image, section->sh_offset + at));
    }
    break;
  }
  return found;
}

/// Where in the file an address of the loaded image is.
std::uint64_t file_offset(Image image, std::uint64_t address) {
  const auto header = read<Elf64_Ehdr>(image, 0);
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto part = read<Elf64_Phdr>(image, header.e_phoff + i * sizeof(Elf64_Phdr));
    if (part.p_type != PT_LOAD || address < part.p_vaddr) continue;
    if (address - part.p_vaddr < part.p_filesz) return part.p_offset + (address - part.p_vaddr);
  }
  ADD_FAILURE() << "no part of the image is loaded at " << address;
  return 0;
}

std::optional<Descriptor> descriptor_of(Image image, const std::string& symbol) {
  Elf64_Shdr section{};
  const auto symbols = entries<Elf64_Sym>(image, SHT_DYNSYM, &section);
  const auto header = read<Elf64_Ehdr>(image, 0);
  const auto names = read<Elf64_Shdr>(image, header.e_shoff + section.sh_link * sizeof(Elf64_Shdr));
  for (const Elf64_Sym& candidate : symbols) {
    const auto* name = image.data() + names.sh_offset + candidate.st_name;
    if (symbol != reinterpret_cast<const char*>(name)) continue;
    EXPECT_EQ(candidate.st_size, 64u) << symbol;
    return read<Descriptor>(image, file_offset(image, candidate.st_value));
  }
  return std::nullopt;
}

class KernelImages : public testing::Test {
 protected:
  void SetUp() override {
    if (code_objects().empty()) GTEST_SKIP() << kernels_missing_reason();
  }
};

TEST(KernelImagesOfABuild, AreThereOrItSaysWhyNot) {
  EXPECT_EQ(code_objects().empty(), !kernels_missing_reason().empty()) << kernels_missing_reason();
  EXPECT_EQ(kernel_targets().size(), code_objects().size());
}

TEST(KernelImagesOfABuild, AreFoundByTheWholeNameAlone) {
  for (const std::string& target : kernel_targets()) EXPECT_FALSE(kernel_image(target).empty());
  for (const char* name : {"", "gfx", "gfx9", "gfx90", "gfx90a1", "gfx1100"}) {
    EXPECT_TRUE(kernel_image(name).empty()) << name;
  }
}

TEST_F(KernelImages, AreOfTheGpuThatTheyAreNamedAfter) {
  for (const KernelImage& image : code_objects()) {
    const auto header = read<Elf64_Ehdr>(image.bytes, 0);
    EXPECT_EQ(std::memcmp(header.e_ident, ELFMAG, SELFMAG), 0);
    EXPECT_EQ(header.e_machine, 224);             // AMD GPU
    EXPECT_EQ(header.e_ident[EI_OSABI], 64);      // HSA
    EXPECT_EQ(header.e_ident[EI_ABIVERSION], 2);  // code object version 4
    const auto named = kMachines.find(image.name);
    if (named != kMachines.end()) {
      EXPECT_EQ(header.e_flags & 0xFFu, named->second) << image.name;
    }
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(image.bytes.data()) % 16, 0u);
  }
}

TEST_F(KernelImages, HaveEveryKernelWithItsStructureAsTheOnlyArgument) {
  for (const KernelImage& image : code_objects()) {
    for (const KernelFacts& kernel : kKernelFacts) {
      const auto found = descriptor_of(image.bytes, std::string(kernel.name) + ".kd");
      ASSERT_TRUE(found) << image.name << " has no " << kernel.name;
      EXPECT_EQ(found->kernarg_bytes, kernel.args_bytes) << image.name << ' ' << kernel.name;
    }
    EXPECT_FALSE(descriptor_of(image.bytes, "conccl_other.kd"));
  }
}

/// What reductions are defined by, and tests of their arithmetic on the host take for granted.
TEST_F(KernelImages, RoundToTheNearestAndKeepSubnormals) {
  for (const KernelImage& image : code_objects()) {
    for (const KernelFacts& kernel : kKernelFacts) {
      const auto found = descriptor_of(image.bytes, std::string(kernel.name) + ".kd");
      ASSERT_TRUE(found) << kernel.name;
      EXPECT_EQ(found->registers >> 12 & 0xFu, 0u) << "rounding, " << kernel.name;
      EXPECT_EQ(found->registers >> 16 & 0xFu, 0xFu) << "subnormals, " << kernel.name;
    }
  }
}

/// Scratch memory would be allocated by the runtime when a kernel first runs.
TEST_F(KernelImages, NeedNoScratchMemory) {
  for (const KernelImage& image : code_objects()) {
    for (const KernelFacts& kernel : kKernelFacts) {
      const auto found = descriptor_of(image.bytes, std::string(kernel.name) + ".kd");
      ASSERT_TRUE(found) << kernel.name;
      EXPECT_EQ(found->private_bytes, 0u) << image.name << ' ' << kernel.name;
      EXPECT_LE(found->group_bytes, 64u) << image.name << ' ' << kernel.name;
    }
  }
}

}  // namespace
}  // namespace conccl::backend::hsa
