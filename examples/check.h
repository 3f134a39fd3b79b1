// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// CHECK(call): ends the program with the library's own words when a call fails.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "conccl/conccl.h"

#define CHECK(call)                                                        \
  do {                                                                     \
    concclResult_t result = (call);                                        \
    if (result != concclSuccess) {                                         \
      fprintf(stderr, "%s: %s: %s\n", #call, concclGetErrorString(result), \
              concclGetLastError(NULL));                                   \
      exit(1);                                                             \
    }                                                                      \
  } while (0)
