// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// The C interface as a C11 compiler sees it.

#include "conccl/conccl.h"

_Static_assert(sizeof(concclUniqueId) == CONCCL_UNIQUE_ID_BYTES, "an id is its bytes");
_Static_assert(sizeof(concclResult_t) == sizeof(int), "C and C++ agree on the size of an enum");
_Static_assert(sizeof(concclDataType_t) == sizeof(int), "C and C++ agree on the size of an enum");

int conccl_test_c11_version(void);

int conccl_test_c11_version(void) {
  const concclConfig_t config = CONCCL_CONFIG_INITIALIZER;
  concclUniqueId id;
  int version = 0;
  if (config.size != sizeof config || config.device != CONCCL_CONFIG_UNDEF_INT) return -1;
  if (concclGetUniqueIdConfig(&id, &config) != concclSuccess) return -2;
  return concclGetVersion(&version) == concclSuccess ? version : -3;
}
