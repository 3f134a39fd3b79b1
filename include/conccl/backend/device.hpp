// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `Device`: memory, queues and tasks of one rank's device; `Backend`: how devices are found.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conccl/backend/memory.hpp"
#include "conccl/backend/pattern.hpp"
#include "conccl/backend/queue.hpp"
#include "conccl/core/descriptor.hpp"
#include "conccl/core/gemm_shape.hpp"
#include "conccl/core/machine.hpp"
#include "conccl/plan/build.hpp"
#include "conccl/plan/timeline.hpp"

namespace conccl::backend {

/// What a GEMM multiplies. With zeros the same instructions run and hardly a bit switches, so the
/// device draws less power and keeps its clock.
enum class Operands { random, zero };

/// A GEMM with its operands and result, all owned by it. The algorithm is fixed when it is made;
/// the result does not depend on who runs it or on how many units.
class Gemm : public Task {
 public:
  [[nodiscard]] virtual const GemmShape& shape() const = 0;
  /// What it multiplies: an emulation may run another type than it was asked for.
  [[nodiscard]] virtual GemmType type() const = 0;
  /// Bytes of the result that differ from the result saved by `keep_reference`. Host-blocking.
  [[nodiscard]] virtual std::uint64_t mismatches() const = 0;
  virtual void keep_reference() = 0;
  /// Overwrites the result so that a run that did nothing shows.
  virtual void poison_result() = 0;
  [[nodiscard]] virtual std::string algorithm() const = 0;
  /// Overwrites the operands; a GEMM is made with the random ones, which are the same ones each
  /// time. While they are zero, `mismatches` counts bytes that are not zero. Host-blocking; the
  /// GEMM must not be running.
  virtual void set_operands(Operands operands) = 0;
};

/// `bytes` at `offset` of a buffer must hold the pattern's bytes from `pattern_offset` on.
struct Stretch {
  Bytes offset = 0;
  Bytes bytes = 0;
  Pattern pattern;
  Bytes pattern_offset = 0;
};

/// Outcome of a compare, valid once the queue has passed it.
struct Comparison {
  std::uint64_t compared = 0;    ///< bytes
  std::uint64_t mismatches = 0;  ///< bytes
  std::uint64_t first_bad = 0;   ///< offset in the buffer of the first wrong byte
  std::uint8_t expected = 0;
  std::uint8_t found = 0;
};

/// A compute unit's count of cycles and the device's time, read together.
struct CycleReading {
  int unit = 0;
  std::uint64_t cycles = 0;       ///< since some moment of that unit's own
  std::uint64_t nanoseconds = 0;  ///< of one clock for all units of the device
};

/// Which allocation an address lies in. A view that does not keep the allocation alive.
struct Allocation {
  std::uint64_t id = 0;  ///< from 1, unique in this process, never used again
  std::byte* base = nullptr;
  Bytes bytes = 0;
  std::weak_ptr<void> memory;  ///< expires when the allocation is freed
};

/// Who has to reach a buffer of a collective.
enum class Reach { in_process, between_processes };

/// What a process needs to reach an allocation of another one: plain bytes, descriptors, or both.
/// `owner` and `allocation` together are its identity on this machine.
struct Shareable {
  static constexpr std::size_t kMaxData = 1280;
  static constexpr std::size_t kMaxDescriptors = 240;  // the system lets 253 travel together

  std::array<std::byte, 16> owner{};  ///< random, one per process
  std::uint64_t allocation = 0;
  Bytes bytes = 0;
  std::vector<std::byte> data;              ///< the backend's own, at most kMaxData
  std::vector<FileDescriptor> descriptors;  ///< at most kMaxDescriptors, often none
};

/// One rank's device. It must outlive its queues, flags and tasks. Any thread may call it.
class Device {
 public:
  virtual ~Device() = default;

  /// Throws RunError with the byte count when there is not enough memory. Contents undefined.
  [[nodiscard]] virtual Memory allocate(Bytes bytes) = 0;
  /// The allocation of this process's devices that `address` lies in; nullopt for memory from
  /// elsewhere, whose size is not known and which no other process can reach.
  [[nodiscard]] virtual std::optional<Allocation> allocation_of(const void* address) const = 0;
  /// The allocation that holds `bytes` from `address` on, or the one of `address` when none does.
  /// What was mapped piece by piece, one behind the other, is one allocation.
  [[nodiscard]] virtual std::optional<Allocation> allocation_over(const void* address,
                                                                  Bytes bytes) const;
  /// Whether `address` lies in allocation `id` now: less to do than `allocation_of`.
  [[nodiscard]] virtual bool lies_in(const void* address, std::uint64_t id) const;
  /// How many bytes of its allocation lie from `address` on; nullopt as above.
  [[nodiscard]] std::optional<Bytes> bytes_behind(const void* address) const;
  /// Why a collective cannot use `bytes` at `address`: words that go behind the buffer's name ("is
  /// too small, ..."). nullopt when it can.
  [[nodiscard]] virtual std::optional<std::string> why_unusable(const void* address, Bytes bytes,
                                                                Reach reach) const;
  /// Why this device cannot write to memory of `peer`, a device of this process; nullopt: it can.
  [[nodiscard]] virtual std::optional<std::string> why_unreachable(const Device& peer) const;
  /// What went wrong on this device, after which nothing that ran on it can be trusted; nullopt:
  /// nothing did, or the device does not say.
  [[nodiscard]] virtual std::optional<std::string> failure() const { return std::nullopt; }

  /// For another process. Throws Unavailable with the reason when this memory cannot be shared,
  /// RunError when it is freed already.
  [[nodiscard]] virtual Shareable share(const Allocation& allocation) = 0;
  /// The other side of `share`: the allocation, mapped here. Mapped once however often it is asked
  /// for, and unmapped when the last Memory of it is gone; an allocation of this process is itself.
  /// Throws RunError with the reason.
  [[nodiscard]] virtual Memory map(Shareable shareable) = 0;

  /// New flags, all zero, in memory of this device.
  [[nodiscard]] virtual std::unique_ptr<FlagBlock> make_flags(int count) = 0;
  /// Flags another process's `make_flags(count)` made; `memory` is its `FlagBlock::memory`, mapped
  /// here. Throws RunError when the memory is too small.
  [[nodiscard]] virtual std::unique_ptr<FlagBlock> map_flags(Memory memory, int count) = 0;
  /// Throws Unavailable for an engine or a share the device does not have.
  [[nodiscard]] virtual std::unique_ptr<Queue> make_queue(const QueueSpec& spec) = 0;
  /// What tells `stream`, a vendor's that a caller made, from every other stream this process ever
  /// has; nullopt where streams are this backend's own queues alone. Throws InputError for a stream
  /// of another device.
  [[nodiscard]] virtual std::optional<std::uint64_t> stream_id(void* stream) const;
  /// A queue over it. The stream must live while the queue is used, not until it is destroyed.
  /// Throws as `stream_id`, and Unavailable where that gives nullopt.
  [[nodiscard]] virtual std::unique_ptr<Queue> wrap(void* stream);

  /// Random operands from `seed`. Throws Unavailable without a BLAS, and with the reason of
  /// `why_no_gemm`; InputError for dimensions outside 1 .. 2^31 - 1.
  [[nodiscard]] virtual std::unique_ptr<Gemm> make_gemm(const GemmSpec& spec,
                                                        std::uint64_t seed) = 0;
  /// Writes the stretches' patterns / a poison byte / checks the stretches. `data` must stay valid
  /// until the task has run, and `result` too.
  [[nodiscard]] virtual std::unique_ptr<Task> make_fill(void* data,
                                                        std::vector<Stretch> stretches) = 0;
  [[nodiscard]] virtual std::unique_ptr<Task> make_poison(void* data, Bytes bytes) = 0;
  [[nodiscard]] virtual std::unique_ptr<Task> make_compare(const void* data,
                                                           std::vector<Stretch> stretches,
                                                           Comparison& result) = 0;

  /// Reads the cycle counters of the units that the queue may use, one entry each, most of them at
  /// least. `readings` must stay valid until the task has run, as for a compare. Throws Unavailable
  /// where `Capabilities::cycle_counters` is false.
  [[nodiscard]] virtual std::unique_ptr<Task> make_cycle_reading(
      std::vector<CycleReading>& readings);

  /// The clock of `Queue::timestamp`, read from the host.
  [[nodiscard]] virtual Nanoseconds now() const = 0;

  /// From now on every chunk and tile of this device's queues is recorded / what was recorded
  /// since, recording ends. Queues must be idle at both calls.
  virtual void start_timeline() = 0;
  [[nodiscard]] virtual plan::Timeline take_timeline() = 0;
};

/// What becomes of a GEMM of some type.
struct GemmOffer {
  GemmType runs_as = GemmType::bf16;  ///< another type than was asked for only on an emulation
  std::int64_t step = 1;              ///< every dimension is a multiple of it
};
/// By the type that is asked for.
using GemmOffers = std::map<GemmType, GemmOffer>;

/// One line: why there is no such GEMM among `offers`; nullopt where there is.
[[nodiscard]] std::optional<std::string> why_no_gemm(const GemmOffers& offers,
                                                     const GemmSpec& spec);
/// "bf16, fp16, fp8 (dimensions: multiples of 16)", "bf16 (as fp32), fp32"; "none".
[[nodiscard]] std::string to_string(const GemmOffers& offers);

/// Asked once and printed by `conccl machine`; nothing asks "which backend is this".
struct Capabilities {
  std::string backend;        ///< "host", "cuda", ...
  bool emulation = false;     ///< its times show function, not hardware
  bool shared_units = false;  ///< devices run on the same cores: one rank slows another
  bool common_clock = false;  ///< timestamps of all devices and processes are of one clock
  int max_devices = 0;        ///< how many ranks it can serve
  int distinct_devices = 0;   ///< device i and i plus this are one; 0: all are distinct
  int compute_units = 0;      ///< per device
  int unit_step = 1;          ///< shares of the units are multiples of it, or all
  int dma_engines = 0;        ///< that one device's lanes can use side by side
  /// Where a copy within the device holds up those to peers least.
  plan::OwnBlock own_block = plan::OwnBlock::first_lane;
  bool drops_work = true;             ///< after a poisoned wait, as Queue says
  bool cycle_counters = false;        ///< Device::make_cycle_reading works
  bool graphs = false;                ///< a queue's work can be captured and launched again
  std::string streams;                ///< whose streams `Queue::native` gives: "CUDA"; empty: none
  bool units_in_timeline = true;      ///< spans name the engine or unit; false: only its kind
  GemmOffers gemms;                   ///< empty: no GEMM here
  std::string gemm_library;           ///< with version and kernel
  std::vector<std::string> warnings;  ///< for `conccl doctor`: one line each, with the remedy
};

/// How such a device's DMA engines carry collectives.
[[nodiscard]] plan::Method dma_method(const Capabilities& capabilities);

class Backend {
 public:
  virtual ~Backend() = default;

  [[nodiscard]] virtual const Capabilities& capabilities() const = 0;
  /// What was probed.
  [[nodiscard]] virtual const Machine& machine() const = 0;
  /// The device of rank `index`; InputError outside 0 .. max_devices - 1. The backend must outlive
  /// it.
  [[nodiscard]] virtual std::unique_ptr<Device> open_device(int index) = 0;
  /// The device that the calling thread has chosen by the vendor's own means (cudaSetDevice).
  [[nodiscard]] virtual std::optional<int> current_device() const { return std::nullopt; }
};

}  // namespace conccl::backend
