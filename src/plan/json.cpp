// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "conccl/core/errors.hpp"
#include "conccl/plan/text.hpp"
#include "plan/json_names.hpp"

namespace conccl::plan {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 16;
constexpr std::size_t kMaxShown = 120;
constexpr std::uint64_t kMaxInt = std::numeric_limits<std::int32_t>::max();
constexpr std::uint64_t kMaxBytes = std::numeric_limits<std::int64_t>::max();

std::string shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  const std::string text = value.dump(-1, ' ', true, json::error_handler_t::replace);
  return text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "...";
}

/// A value and the way to it. The path is spelled out only for an error.
class Field {
 public:
  using Names = std::initializer_list<std::string_view>;

  Field(const json& value, std::string_view input) : value_(value), name_(input) {}

  /// Refuses anything but an object with exactly these fields.
  const Field& expect_fields(Names names) const {
    if (!value_.is_object()) fail("an object");
    for (const auto& item : value_.items()) {
      if (std::find(names.begin(), names.end(), item.key()) == names.end()) {
        Field(item.value(), *this, item.key())
            .refuse(fmt::format("unknown field; known are {}", fmt::join(names, ", ")));
      }
    }
    return *this;
  }

  [[nodiscard]] Field at(std::string_view name) const {
    if (!value_.is_object()) fail("an object");
    const auto found = value_.find(name);
    if (found == value_.end()) Field(value_, *this, name).refuse("missing");
    return {*found, *this, name};
  }

  template <typename Read>
  [[nodiscard]] auto list(Read read) const {
    if (!value_.is_array()) fail("a list");
    std::vector<decltype(read(*this))> items;
    items.reserve(value_.size());
    for (std::size_t index = 0; index < value_.size(); ++index) {
      items.push_back(read(Field(value_[index], *this, index)));
    }
    return items;
  }

  [[nodiscard]] const std::string& text() const {
    if (!value_.is_string()) fail("a text");
    return value_.get_ref<const std::string&>();
  }

  [[nodiscard]] Bytes bytes() const { return number(kMaxBytes); }
  [[nodiscard]] std::int32_t count() const { return static_cast<std::int32_t>(number(kMaxInt)); }

  template <typename Value, std::size_t kCount>
  [[nodiscard]] Value one_of(const json_names::Names<Value, kCount>& names) const {
    std::string known;
    for (const auto& [value, name] : names.entries) {
      if (value_.is_string() && text() == name) return value;
      known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", name);
    }
    fail(fmt::format("one of {}", known));
  }

  [[noreturn]] void fail(std::string_view expected) const {
    refuse(fmt::format("expected {}, found {}", expected, shown(value_)));
  }

  [[noreturn]] void refuse(std::string_view why) const {
    const std::string where = path();
    throw InputError(SourcePosition{std::string(input()), 0, 0},
                     where.empty() ? std::string(why) : fmt::format("{}: {}", where, why));
  }

 private:
  static constexpr std::size_t kNoIndex = std::numeric_limits<std::size_t>::max();

  Field(const json& value, const Field& parent, std::string_view name)
      : value_(value), parent_(&parent), name_(name) {}
  Field(const json& value, const Field& parent, std::size_t index)
      : value_(value), parent_(&parent), index_(index) {}

  [[nodiscard]] std::uint64_t number(std::uint64_t max) const {
    const bool negative =
        value_.is_number_float() || (value_.is_number_integer() && !value_.is_number_unsigned());
    if (!value_.is_number() || negative || value_.get<std::uint64_t>() > max) {
      fail(fmt::format("an integer in 0 .. {}", max));
    }
    return value_.get<std::uint64_t>();
  }

  [[nodiscard]] std::string_view input() const { return parent_ ? parent_->input() : name_; }

  [[nodiscard]] std::string path() const {
    if (parent_ == nullptr) return "";
    const std::string above = parent_->path();
    if (index_ != kNoIndex) return fmt::format("{}[{}]", above, index_);
    return fmt::format("{}{}{}", above, above.empty() ? "" : ".", name_);
  }

  const json& value_;
  const Field* parent_ = nullptr;
  std::string_view name_;  ///< of the field; of the input where there is no parent
  std::size_t index_ = kNoIndex;
};

/// Refuses while parsing what the parsed value no longer shows: nesting that no plan has, and a
/// field given twice.
class Guard {
 public:
  explicit Guard(std::string_view input) : input_(input) {}

  bool operator()(int depth, json::parse_event_t event, const json& parsed) {
    if (event == json::parse_event_t::object_start) keys_.emplace_back();
    if (event == json::parse_event_t::object_end) keys_.pop_back();
    if (depth > kMaxDepth) refuse(fmt::format("nested deeper than {} levels", kMaxDepth));
    if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second)
        refuse(fmt::format("field {} given twice", shown(parsed)));
    }
    return true;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw InputError(SourcePosition{std::string(input_), 0, 0}, why);
  }

  std::string_view input_;
  std::vector<std::set<std::string>> keys_;
};

SourcePosition position_of(std::string_view text, std::size_t offset, std::string_view input) {
  const std::string_view before = text.substr(0, std::min(offset, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {std::string(input), static_cast<int>(lines) + 1,
          static_cast<int>(before.size() - line_start) + 1};
}

/// The parser's message without its own prefix and position.
std::string reason_of(const json::exception& error) {
  std::string_view text = error.what();
  if (const auto prefix = text.find("] "); prefix != text.npos) text.remove_prefix(prefix + 2);
  if (text.starts_with("parse error at")) {
    if (const auto colon = text.find(": "); colon != text.npos) text.remove_prefix(colon + 2);
  }
  return std::string(text.substr(0, 2 * kMaxShown));
}

json parse(std::string_view text, std::string_view input) {
  // The parser takes a NUL for the end and would not look at what follows.
  if (const auto nul = text.find('\0'); nul != text.npos) {
    throw InputError(position_of(text, nul, input), "a NUL byte; expected JSON text");
  }
  try {
    Guard guard(input);
    return json::parse(text, [&guard](int depth, json::parse_event_t event, json& parsed) {
      return guard(depth, event, parsed);
    });
  } catch (const json::parse_error& error) {
    const std::size_t offset = error.byte == 0 ? 0 : error.byte - 1;
    throw InputError(position_of(text, offset, input), reason_of(error));
  } catch (const json::exception& error) {
    throw InputError(SourcePosition{std::string(input), 0, 0}, reason_of(error));
  }
}

Ref read_ref(const Field& field) {
  field.expect_fields({"rank", "buffer", "offset"});
  return {field.at("rank").count(), field.at("buffer").one_of(json_names::kBuffers),
          field.at("offset").bytes()};
}

Step read_step(const Field& field) {
  const Field kind = field.at("step");
  if (kind.text() == "copy") {
    field.expect_fields({"step", "src", "dst", "bytes"});
    return Copy{read_ref(field.at("src")), read_ref(field.at("dst")), field.at("bytes").bytes()};
  }
  if (kind.text() == "signal") {
    field.expect_fields({"step", "rank", "flag"});
    return Signal{field.at("rank").count(), field.at("flag").count()};
  }
  if (kind.text() == "wait") {
    return Wait{field.expect_fields({"step", "flag"}).at("flag").count()};
  }
  if (kind.text() == "compute") {
    return Compute{field.expect_fields({"step", "task"}).at("task").count()};
  }
  kind.fail(R"(one of "copy", "signal", "wait", "compute")");
}

Lane read_lane(const Field& field) {
  field.expect_fields({"label", "engine", "share", "priority", "launch_rank", "steps"});
  const Field share = field.at("share");
  share.expect_fields({"kind", "units"});
  return {field.at("label").text(),
          field.at("engine").one_of(json_names::kEngines),
          {share.at("kind").one_of(json_names::kShares), share.at("units").count()},
          field.at("priority").one_of(json_names::kPriorities),
          field.at("launch_rank").count(),
          field.at("steps").list(read_step)};
}

RankPlan read_rank(const Field& field) {
  return {field.expect_fields({"lanes"}).at("lanes").list(read_lane)};
}

Collective read_collective(const Field& field) {
  try {
    return parse_collective(field.text());
  } catch (const InputError& error) {
    field.refuse(error.what());
  }
}

Request read_request(const Field& field) {
  field.expect_fields({"collective", "ranks", "block", "placement"});
  const Request request{read_collective(field.at("collective")), field.at("ranks").count(),
                        field.at("block").bytes(),
                        field.at("placement").one_of(json_names::kPlacements)};
  try {
    validate(request);
  } catch (const InputError& error) {
    field.refuse(error.what());
  }
  return request;
}

}  // namespace

Plan plan_from_json(std::string_view text, std::string_view name) {
  const json document = parse(text, name);
  const Field root(document, name);
  const Field schema = root.at("schema");
  if (schema.text() != kPlanSchema) schema.fail(fmt::format("\"{}\"", kPlanSchema));
  root.expect_fields(
      {"schema", "request", "algorithm", "scratch_bytes", "flags", "tasks", "ranks"});
  return {read_request(root.at("request")),
          root.at("algorithm").text(),
          root.at("scratch_bytes").bytes(),
          root.at("flags").count(),
          root.at("tasks").list([](const Field& task) { return task.text(); }),
          root.at("ranks").list(read_rank)};
}

}  // namespace conccl::plan
