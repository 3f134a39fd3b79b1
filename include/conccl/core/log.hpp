// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The library's one line of talk to its user: a sink. It is silent until a sink is set.
#pragma once

#include <functional>
#include <string_view>

namespace conccl {

enum class LogLevel { debug, info, warning };

using LogSink = std::function<void(LogLevel, std::string_view)>;

/// Replaces the process-wide sink; an empty function silences the library. Any thread may call it;
/// the sink itself must be callable from any thread and must not throw.
void set_log_sink(LogSink sink);

/// Hands one line, without a newline, to the sink.
void log(LogLevel level, std::string_view line);

}  // namespace conccl
