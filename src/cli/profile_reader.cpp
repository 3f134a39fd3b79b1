// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/profile_reader.hpp"

#include "cli/json_field.hpp"
#include "conccl/core/machine.hpp"

namespace conccl::cli {
namespace {

using c3::Sample;

constexpr std::string_view kWhat = "what conccl profile --samples wrote";

Sample::Kind kind_of(const Field& field) {
  const std::string kind = field.text();
  if (kind == "gemm") return Sample::Kind::gemm;
  if (kind == "collective") return Sample::Kind::collective;
  if (kind == "together") return Sample::Kind::together;
  field.fail(fmt::format("\"{}\"; expected gemm, collective or together", kind));
}

GemmSpec gemm_of(const Field& entry) {
  return {entry.at("gemm").parsed(parse_gemm_shape), entry.at("gemm_type").parsed(parse_gemm_type)};
}

Summary summary_of(const Field& times) {
  const Summary summary{times.at("median").time(), times.at("min").time(), times.at("max").time(),
                        times.at("n").whole(1, kMostUnits)};
  if (summary.min > summary.median || summary.median > summary.max) {
    times.fail("expected min <= median <= max");
  }
  return summary;
}

template <typename Entry>
void read_collective(const Field& from, Entry& entry) {
  entry.collective = from.at("collective").parsed(plan::parse_collective);
  entry.bytes = from.at("bytes").whole(1, kMostBytes);
}

Sample sample_of(const Field& entry) {
  Sample sample;
  sample.kind = kind_of(entry.at("kind"));
  if (sample.kind != Sample::Kind::collective) sample.gemm = gemm_of(entry);
  if (sample.kind != Sample::Kind::gemm) read_collective(entry, sample);
  sample.how = entry.at("how").text();
  sample.budget = static_cast<int>(entry.at("budget").whole(0, kMostUnits));
  if (sample.kind != Sample::Kind::collective) sample.gemm_share = entry.at("gemm_share").share();
  sample.ms = summary_of(entry.at("ms"));
  return sample;
}

c3::ClockSample clock_of(const Field& entry) {
  c3::ClockSample clock;
  clock.gemm = gemm_of(entry);
  read_collective(entry, clock);
  clock.alone_ghz = entry.at("alone_ghz").time();
  clock.together_ghz = entry.at("together_ghz").time();
  clock.alone_zero_ghz = entry.at("alone_zero_ghz").time();
  return clock;
}

}  // namespace

bench::Profile parse_profile(std::string_view text, const std::string& name) {
  const FieldJson json = json_of(text, name, kWhat);
  const Field root(json, name);
  const std::string schema = root.at("schema").text();
  if (schema != bench::kProfileSchema) {
    root.at("schema").fail(
        fmt::format("\"{}\"; expected \"{}\", {}", schema, bench::kProfileSchema, kWhat));
  }
  bench::Profile profile;
  profile.partial = root.at("partial").flag();
  profile.emulation = root.at("emulation").flag();
  profile.date = root.at("date").text();
  profile.machine = root.at("machine").parsed(
      [&](const std::string& toml) { return parse_machine(toml, "machine"); });
  profile.ranks = static_cast<int>(root.at("ranks").whole(2, kMostUnits));
  for (const Field& entry : root.at("samples").list()) profile.samples.push_back(sample_of(entry));
  for (const Field& entry : root.at("clocks").list()) profile.clocks.push_back(clock_of(entry));
  return profile;
}

bench::Profile read_profile(const std::string& path) {
  return parse_profile(text_of(path, kWhat), path);
}

}  // namespace conccl::cli
