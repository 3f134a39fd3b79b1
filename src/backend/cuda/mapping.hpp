// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Mapping`: device memory by the driver's virtual memory calls, made here or by another process.
#pragma once

#include <optional>
#include <vector>

#include "backend/cuda/address.hpp"
#include "backend/cuda/facts.hpp"
#include "conccl/core/descriptor.hpp"

namespace conccl::backend::cuda {

/// Physical memory of one GPU; the memory lives as long as a handle or a mapping of it.
class PhysicalMemory {
 public:
  /// On the GPU, shareable by descriptor. Throws RunError with the byte count.
  static PhysicalMemory create(int gpu, Bytes bytes);
  /// What another process exported.
  static PhysicalMemory import(const FileDescriptor& descriptor);
  /// The memory mapped at `address`, whoever made it; nullopt for other memory.
  static std::optional<PhysicalMemory> at(CUdeviceptr address);

  PhysicalMemory(PhysicalMemory&& other) noexcept;
  PhysicalMemory& operator=(PhysicalMemory&&) = delete;
  PhysicalMemory(const PhysicalMemory&) = delete;
  PhysicalMemory& operator=(const PhysicalMemory&) = delete;
  ~PhysicalMemory();

  [[nodiscard]] CUmemGenericAllocationHandle get() const { return handle_; }
  /// Whether it was made to be shared by descriptor.
  [[nodiscard]] bool exportable() const;
  /// Throws RunError, as where it is not exportable.
  [[nodiscard]] FileDescriptor export_descriptor() const;

 private:
  explicit PhysicalMemory(CUmemGenericAllocationHandle handle) : handle_(handle) {}
  CUmemGenericAllocationHandle handle_ = 0;
};

/// The unit in which physical memory is made.
[[nodiscard]] Bytes granularity(int gpu);

/// Physical memory and its whole size.
struct Piece {
  PhysicalMemory memory;
  Bytes bytes = 0;
};

/// A range of addresses with memory behind it, which no GPU may access before `allow`.
class Mapping {
 public:
  /// One behind the other. Throws RunError.
  explicit Mapping(const std::vector<Piece>& pieces);
  /// `bytes` is the memory's whole size.
  Mapping(PhysicalMemory memory, Bytes bytes);
  ~Mapping();
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  /// Lets these GPUs read and write it; may be repeated. Throws RunError.
  void allow(const std::vector<int>& gpus) const;

  [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(pointer_of(address_)); }
  [[nodiscard]] Bytes bytes() const { return bytes_; }

 private:
  void map(const Piece& piece);
  void unmap();

  CUdeviceptr address_ = 0;
  Bytes bytes_ = 0;
  std::vector<Bytes> mapped_;  ///< sizes, from the first address on
};

}  // namespace conccl::backend::cuda
