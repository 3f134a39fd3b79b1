// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bench/evidence/verdict.hpp"
#include "bench/trace/events.hpp"

namespace conccl::bench {
namespace {

/// A record and the row it belongs on.
struct Entry {
  Piece place;
  EventList::Slice slice;
};

std::string_view name_of(ChannelType type) {
  if (type == ChannelType::compute) return "compute";
  return type == ChannelType::copy_engine ? "copy engine" : "unknown";
}

std::string name_of(const CopyRecord& copy) {
  if (copy.kind == CopyKind::peer) {
    return fmt::format("copy GPU {} to GPU {}", copy.source, copy.destination);
  }
  return copy.kind == CopyKind::local ? "copy" : "copy to or from the host";
}

Entry entry_of(const CopyRecord& copy) {
  Json arguments = {{"bytes", copy.bytes},
                    {"copies", copy.copies},
                    {"channel", copy.channel},
                    {"channel_type", name_of(copy.type)}};
  const auto duration = (copy.end - copy.start).count();
  if (duration > 0) {
    arguments["GB/s"] = static_cast<double>(copy.bytes) / static_cast<double>(duration);
  }
  const std::string row =
      fmt::format("GPU {} channel {} ({})", copy.device, copy.channel, name_of(copy.type));
  return {{row, copy.start, copy.end}, {name_of(copy), copy.start, copy.end, arguments}};
}

Entry entry_of(const KernelRecord& kernel) {
  return {{fmt::format("GPU {} kernels", kernel.device), kernel.start, kernel.end},
          {short_kernel_name(kernel.name), kernel.start, kernel.end, {{"name", kernel.name}}}};
}

/// Records without times are left out.
std::vector<Entry> entries_of(const Evidence& records) {
  std::vector<Entry> entries;
  const auto add = [&](const auto& record) {
    if (record.end > Nanoseconds{}) entries.push_back(entry_of(record));
  };
  std::for_each(records.copies.begin(), records.copies.end(), add);
  std::for_each(records.kernels.begin(), records.kernels.end(), add);
  return entries;
}

void move_to_zero(std::vector<Entry>& entries) {
  Nanoseconds zero = Nanoseconds::max();
  for (const auto& entry : entries) zero = std::min(zero, entry.place.start);
  for (auto& entry : entries) {
    for (auto* time :
         {&entry.place.start, &entry.place.end, &entry.slice.start, &entry.slice.end}) {
      *time -= zero;
    }
  }
}

void add_entries(int process, const std::vector<Entry>& entries, EventList& events) {
  std::vector<Piece> places;
  for (const auto& entry : entries) places.push_back(entry.place);
  int thread = 0;
  for (const auto& track : lay_out(places)) {
    events.add_thread(process, ++thread, track.name);
    for (const std::size_t index : track.pieces) {
      events.add_slice(process, thread, entries[index].slice);
    }
  }
}

}  // namespace

void add_records(const TracedRun& run, EventList& events) {
  for (std::size_t i = 0; i < run.records.size(); ++i) {
    auto entries = entries_of(run.records[i]);
    if (entries.empty()) continue;
    move_to_zero(entries);
    const int process = events.add_process(
        fmt::format("{}: {}, process of rank {}", run.name, run.records[i].tracer, i));
    add_entries(process, entries, events);
  }
}

}  // namespace conccl::bench
