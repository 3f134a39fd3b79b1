// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

#include "backend/hsa/conformance/watch.hpp"

#include <cstdlib>
#include <ctime>
#include <utility>

#include "backend/hsa/conformance/expect.hpp"

namespace conccl::backend::hsa::conformance {
namespace {

constexpr timespec kLook{0, 50'000'000};
/// What the rest of a row may take once the user has ended the program.
constexpr std::chrono::seconds kGrace{5};

Watch::Clock::rep now() { return Watch::Clock::now().time_since_epoch().count(); }

}  // namespace

Watch::Watch(std::chrono::seconds limit) : limit_(limit), last_(now()) {
  ::sigemptyset(&signals_);
  ::sigaddset(&signals_, SIGINT);
  ::sigaddset(&signals_, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
  thread_ = std::thread([this] { watch(); });
}

Watch::~Watch() {
  ended_.store(true);
  thread_.join();
}

void Watch::on_hang(std::function<int()> report) {
  report_ = std::move(report);
  watched_.store(true);
}

void Watch::touch() { last_.store(now()); }

void Watch::beat() {
  if (stopped_.load()) throw Stopped();
  touch();
}

bool Watch::late() const {
  const auto quiet = Clock::duration(now() - last_.load());
  return quiet > (stopped_.load() ? Clock::duration(kGrace) : Clock::duration(limit_));
}

void Watch::watch() {
  while (!ended_.load()) {
    if (::sigtimedwait(&signals_, nullptr, &kLook) > 0 && !stopped_.exchange(true)) {
      last_.store(now());
    }
    if (watched_.load() && late()) std::_Exit(report_());
  }
}

}  // namespace conccl::backend::hsa::conformance
