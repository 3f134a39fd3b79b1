// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

/// The TOML library compiled into a fuzz target. The installed one is built without coverage, so
/// the fuzzer could not see what its inputs reach there; symbols of the program win over it. As
/// installed, without assertions: "[@" as a table header fails one, and is reported without them.

#define TOML_ASSERT(expr) static_assert(true)
#define TOML_IMPLEMENTATION
#include <toml++/toml.h>
