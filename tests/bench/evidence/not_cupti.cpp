// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// A library that has nothing of CUPTI's.

extern "C" int not_cupti() { return 0; }
