// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <map>

#include "bench/json.hpp"
#include "bench/trace/traced_run.hpp"
#include "conccl/core/errors.hpp"

namespace conccl::bench {
namespace {

/// Names that repeat travel once.
class Names {
 public:
  std::size_t index_of(const std::string& name) {
    const auto [entry, added] = indices_.emplace(name, list_.size());
    if (added) list_.push_back(name);
    return entry->second;
  }
  [[nodiscard]] const Json& list() const { return list_; }

 private:
  std::map<std::string, std::size_t> indices_;
  Json list_ = Json::array();
};

Json row_of(const plan::Span& span, Names& names) {
  return {span.rank,          names.index_of(span.lane), span.step, names.index_of(span.unit),
          span.start.count(), span.end.count(),          span.bytes};
}

plan::Span span_of(const Json& row, const Json& names) {
  return {row.at(0),
          names.at(row.at(1).get<std::size_t>()),
          row.at(2),
          names.at(row.at(3).get<std::size_t>()),
          Nanoseconds(row.at(4).get<std::int64_t>()),
          Nanoseconds(row.at(5).get<std::int64_t>()),
          row.at(6)};
}

Json row_of(const CopyRecord& copy) {
  return {copy.kind,    copy.bytes, copy.device, copy.source,        copy.destination,
          copy.channel, copy.type,  copy.copies, copy.start.count(), copy.end.count()};
}

CopyRecord copy_of(const Json& row) {
  return {row.at(0),
          row.at(1),
          row.at(2),
          row.at(3),
          row.at(4),
          row.at(5),
          row.at(6),
          row.at(7),
          Nanoseconds(row.at(8).get<std::int64_t>()),
          Nanoseconds(row.at(9).get<std::int64_t>())};
}

Json row_of(const KernelRecord& kernel, Names& names) {
  return {names.index_of(kernel.name), kernel.device, kernel.start.count(), kernel.end.count()};
}

KernelRecord kernel_of(const Json& row, const Json& names) {
  return {names.at(row.at(0).get<std::size_t>()), row.at(1),
          Nanoseconds(row.at(2).get<std::int64_t>()), Nanoseconds(row.at(3).get<std::int64_t>())};
}

Recorded read(const Json& json) {
  Recorded recorded;
  const Json& names = json.at("names");
  for (const auto& row : json.at("spans")) recorded.timeline.spans.push_back(span_of(row, names));
  for (const auto& row : json.at("copies")) recorded.records.copies.push_back(copy_of(row));
  for (const auto& row : json.at("kernels")) {
    recorded.records.kernels.push_back(kernel_of(row, names));
  }
  recorded.records.tracer = json.at("tracer");
  return recorded;
}

}  // namespace

std::string pack(const Recorded& recorded) {
  Names names;
  Json json = {{"tracer", recorded.records.tracer},
               {"spans", Json::array()},
               {"copies", Json::array()},
               {"kernels", Json::array()}};
  for (const auto& span : recorded.timeline.spans) json["spans"].push_back(row_of(span, names));
  for (const auto& copy : recorded.records.copies) json["copies"].push_back(row_of(copy));
  for (const auto& kernel : recorded.records.kernels) {
    json["kernels"].push_back(row_of(kernel, names));
  }
  json["names"] = names.list();
  std::string bytes;
  Json::to_cbor(json, bytes);
  return bytes;
}

Recorded unpack(std::string_view bytes) {
  try {
    return read(Json::from_cbor(bytes));
  } catch (const Json::exception& error) {
    throw RunError(fmt::format("a rank's timeline: {}", error.what()));
  }
}

}  // namespace conccl::bench
