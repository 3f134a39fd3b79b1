// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/fakes/hsa/kernels.hpp"

#include <array>
#include <cstring>

#include "backend/hsa/kernel_args.hpp"

namespace conccl::test::fake_hsa {
namespace {

using backend::Pattern;
using backend::pattern_word;
using backend::Tally;
using namespace backend::hsa;  // NOLINT(google-build-using-namespace): the kernels' arguments

/// A pattern's bytes one after another.
class PatternBytes {
 public:
  PatternBytes(const Pattern& pattern, std::uint64_t offset)
      : pattern_(pattern), offset_(offset), word_(pattern_word(pattern, offset / 8)) {}

  unsigned char next() {
    const auto byte = static_cast<unsigned char>(word_ >> (offset_ % 8 * 8));
    if (++offset_ % 8 == 0) word_ = pattern_word(pattern_, offset_ / 8);
    return byte;
  }

 private:
  Pattern pattern_;
  std::uint64_t offset_;
  std::uint64_t word_;
};

/// Kernels of several queues may add to one tally.
void add(Tally& tally, const Tally& more) {
  std::atomic_ref(tally.compared).fetch_add(more.compared);
  if (more.mismatches == 0) return;
  std::atomic_ref(tally.mismatches).fetch_add(more.mismatches);
  std::atomic_ref first(tally.inverted_first_bad);
  auto now = first.load();
  while (now < more.inverted_first_bad &&
         !first.compare_exchange_weak(now, more.inverted_first_bad)) {
  }
}

void count(Tally& tally, unsigned char found, unsigned char expected, std::uint64_t offset) {
  ++tally.compared;
  if (found == expected) return;
  if (tally.mismatches++ == 0) tally.inverted_first_bad = ~offset;
}

void fill(const FillArgs& args, Reach& reach) {
  const auto& range = args.range;
  PatternBytes pattern(range.pattern, range.pattern_offset);
  for (auto& byte : reach.span(range.data, range.bytes)) byte = pattern.next();
}

void set(const SetArgs& args, Reach& reach) {
  if (args.value > 255) throw KernelException();
  const auto data = reach.span(args.data, args.bytes);
  if (!data.empty()) std::memset(data.data(), static_cast<int>(args.value), data.size());
}

void compare(const CompareArgs& args, Reach& reach) {
  const auto& range = args.range;
  Tally& tally = reach.one(args.tally);
  Tally mine;
  PatternBytes pattern(range.pattern, range.pattern_offset);
  std::uint64_t offset = args.base;
  for (const auto byte : reach.span(range.data, range.bytes)) {
    count(mine, byte, pattern.next(), offset++);
  }
  add(tally, mine);
}

void conclude(const ConcludeArgs& args, Reach& reach) {
  Tally concluded = reach.one(args.tally);
  Tally& result = reach.one(args.result);
  if (concluded.mismatches != 0) {
    concluded.found = reach.one(args.data + ~concluded.inverted_first_bad);
  }
  result = concluded;
}

bool is_aligned(const void* address, std::size_t to) {
  return reinterpret_cast<std::uintptr_t>(address) % to == 0;
}

void differences(const DifferencesArgs& args, Reach& reach) {
  if (!is_aligned(args.left, 8) || !is_aligned(args.right, 8)) throw KernelException();
  const auto left = reach.span(args.left, args.bytes);
  const auto right = reach.span(args.right, args.bytes);
  Tally& tally = reach.one(args.tally);
  Tally mine;
  for (std::size_t i = 0; i < left.size(); ++i) count(mine, left[i], right[i], i);
  add(tally, mine);
}

template <typename Value, typename Rounded>
void randomize_values(const RandomArgs& args, Reach& reach, Rounded rounded) {
  if (!is_aligned(args.values, sizeof(Value))) throw KernelException();
  std::uint64_t at = 0;
  for (auto& value : reach.span(static_cast<Value*>(args.values), args.count)) {
    const auto high = static_cast<std::int32_t>(pattern_word(args.seed, at++) >> 32U);
    value = rounded(static_cast<float>(high >> 8) * 0x1p-23F);
  }
}

void random(const RandomArgs& args, Reach& reach) {
  switch (args.type) {
    case Number::bf16:
      return randomize_values<std::uint16_t>(args, reach, to_bf16);
    case Number::fp16:
      return randomize_values<std::uint16_t>(args, reach, to_fp16);
    case Number::fp32:
      return randomize_values<float>(args, reach, [](float value) { return value; });
    default:
      throw KernelException();
  }
}

void copy(const CopyArgs& args, Reach& reach) {
  const auto from = reach.span(args.range.from, args.range.bytes);
  const auto to = reach.span(args.range.to, args.range.bytes);
  if (!to.empty()) std::memmove(to.data(), from.data(), to.size());
}

template <typename Args, void (*kRun)(const Args&, Reach&)>
constexpr Kernel kernel(const char* name) {
  return {name, sizeof(Args), [](const void* arguments, Reach& reach) {
            Args args;
            std::memcpy(&args, arguments, sizeof args);
            kRun(args, reach);
          }};
}

constexpr std::array kKernels{
    kernel<FillArgs, fill>("conccl_fill"),
    kernel<SetArgs, set>("conccl_set"),
    kernel<CompareArgs, compare>("conccl_compare"),
    kernel<ConcludeArgs, conclude>("conccl_conclude"),
    kernel<DifferencesArgs, differences>("conccl_differences"),
    kernel<RandomArgs, random>("conccl_random"),
    kernel<CopyArgs, copy>("conccl_copy"),
    Kernel{"conccl_reduce", sizeof(ReduceArgs), run_reduce},
};

}  // namespace

void Reach::touch(const void* data, std::size_t bytes) {
  if (bytes == 0) return;
  auto held = memory_.reach(agent_, data, bytes);
  if (held == nullptr) throw KernelMemoryFault{data};
  touched_.push_back(std::move(held));
}

const Kernel* find_kernel(std::string_view name) {
  for (const auto& kernel : kKernels) {
    if (name == kernel.name) return &kernel;
  }
  return nullptr;
}

}  // namespace conccl::test::fake_hsa
