// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/faults/crew.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "conccl/comm/unique_id.hpp"

namespace conccl::test {

Crew::Crew(int count, const CrewOptions& options) {
  for (int rank = 0; rank < count; ++rank) {
    const std::vector<std::string> arguments{options.backend, std::to_string(rank)};
    ranks.push_back(std::make_unique<RankProcess>(options.wrapper, arguments));
  }
  for (const auto& rank : ranks) {
    if (!rank->said("ready", kPatience)) throw std::runtime_error("a rank did not become ready");
  }
}

std::vector<pid_t> Crew::pids() const {
  std::vector<pid_t> all;
  for (const auto& rank : ranks) all.push_back(rank->pid());
  return all;
}

void Crew::tell_all(const std::string& command) { tell_all_but(-1, command); }

void Crew::tell_all_but(int absent, const std::string& command) {
  for (int rank = 0; rank < size(); ++rank) {
    if (rank != absent) (*this)[rank].tell(command);
  }
}

void Crew::tell_to_join(const std::string& id, std::chrono::milliseconds deadline) {
  for (int rank = 0; rank < size(); ++rank) {
    (*this)[rank].tell(fmt::format("join {} {} {} {}", id, rank, size(), deadline.count()));
  }
}

void Crew::join(std::chrono::milliseconds deadline) {
  tell_to_join(new_id(), deadline);
  all_ok();
}

std::vector<std::string> Crew::all_ok() {
  std::vector<std::string> texts;
  for (int rank = 0; rank < size(); ++rank) {
    const auto answer = (*this)[rank].answer(kPatience);
    if (!answer.ok()) {
      throw std::runtime_error(fmt::format("rank {}: {}", rank, testing::PrintToString(answer)));
    }
    texts.push_back(answer.text);
  }
  return texts;
}

std::vector<std::string> Crew::all_ok(const std::string& command) {
  tell_all(command);
  return all_ok();
}

void Crew::finish() {
  for (int rank = 0; rank < size(); ++rank) {
    EXPECT_EQ((*this)[rank].finish(kPatience), 0) << "exit code of rank " << rank;
  }
}

std::string new_id(std::chrono::milliseconds deadline) {
  comm::MeetingOptions options;
  options.deadline = deadline;
  return comm::to_text(comm::make_unique_id(options));
}

std::vector<Answer> answers(Crew& crew, const Reading& reading) {
  return first_errors(crew, 1, reading);
}

std::vector<Answer> first_errors(Crew& crew, int commands, const Reading& reading) {
  std::vector<Answer> found;
  for (int rank = 0; rank < crew.size(); ++rank) {
    if (rank == reading.absent) continue;
    Answer last;
    int left = commands;
    do last = crew[rank].answer(reading.limit);
    while (last.ok() && --left > 0);
    found.push_back(last);
  }
  return found;
}

testing::Matcher<const Answer&> error_with(const std::vector<std::string>& texts) {
  std::vector<testing::Matcher<const std::string&>> parts;
  for (const auto& text : texts) parts.emplace_back(testing::HasSubstr(text));
  return testing::AllOf(testing::Field("kind", &Answer::kind, Answer::Kind::error),
                        testing::Field("text", &Answer::text, testing::AllOfArray(parts)));
}

void PrintTo(const Answer& answer, std::ostream* out) {
  switch (answer.kind) {
    case Answer::Kind::ok:
      *out << "ok " << answer.text;
      return;
    case Answer::Kind::error:
      *out << "error " << answer.text;
      return;
    case Answer::Kind::ended:
      *out << "the process ended";
      return;
    case Answer::Kind::silence:
      *out << "no answer in time";
      return;
  }
}

std::chrono::milliseconds slowest(const std::vector<Answer>& answers, Clock::time_point since) {
  Clock::time_point last = since;
  for (const auto& answer : answers) last = std::max(last, answer.at);
  return std::chrono::duration_cast<std::chrono::milliseconds>(last - since);
}

}  // namespace conccl::test
