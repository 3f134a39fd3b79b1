// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// `MachineFile`: a machine file for ranks on the host backend, whose model says what a test wants
/// it to say.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace conccl::test {

/// What the copies of `host_machine` cost before the first byte: the model takes DMA engines with
/// the first, kernels with the second, whatever runs beside.
inline constexpr const char* kQuickDma = "1 us";
inline constexpr const char* kSlowDma = "10000 ms";
/// Alone, DMA engines are faster from some 8 MB on; beside a GEMM that leaves kernels few units, at
/// any size.
inline constexpr const char* kMediumDma = "100 us";

/// A late kernel gets a tenth of the units, and collectives need all of them for their full speed.
inline std::string host_machine(int devices, const std::string& dma_launch) {
  return "name = \"of a test\"\nbackend = \"host\"\ndevices = {value = " + std::to_string(devices) +
         ", source = \"t\"}\n"
         R"([device]
compute_units = {value = 100, source = "t"}
dma_engines = {value = 4, source = "t"}
memory_bandwidth = {value = "1000 GB/s", source = "t"}
gemm_efficiency = {value = 1, source = "t"}
[device.peak]
bf16 = {value = "100 TFLOP/s", source = "t"}
[link]
topology = "full-mesh"
peer_bandwidth = {value = "100 GB/s", source = "t"}
device_bandwidth = {value = "100 GB/s", source = "t"}
[model]
memory_efficiency = {value = 1, source = "t"}
late_share = {value = 0.1, source = "t"}
dma_launch = {value = ")" +
         dma_launch + R"(", source = "t"}
[model.slowdown]
compute_bound = {value = [[50, 2], [100, 1]], source = "t"}
memory_bound = {value = [[50, 1], [100, 1]], source = "t"}
all_gather = {value = [[100, 1]], source = "t"}
all_to_all = {value = [[100, 1]], source = "t"}
[baseline.all_gather]
latency = {value = "10 us", source = "t"}
bandwidth = {value = "100 GB/s", source = "t"}
compute_units = {value = 100, source = "t"}
[baseline.all_to_all]
latency = {value = "10 us", source = "t"}
bandwidth = {value = "100 GB/s", source = "t"}
compute_units = {value = 100, source = "t"}
)";
}

/// Removed with it.
class MachineFile {
 public:
  explicit MachineFile(const std::string& text) {
    const int file = mkstemp(path_.data());
    if (file >= 0) close(file);
    std::ofstream(path_) << text;
  }
  ~MachineFile() { std::remove(path_.c_str()); }
  MachineFile(const MachineFile&) = delete;
  MachineFile& operator=(const MachineFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = "/tmp/conccl_machine_XXXXXX";
};

}  // namespace conccl::test
