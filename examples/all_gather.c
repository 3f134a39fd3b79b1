// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// An all-gather of four ranks in one process, driven by one thread, in C.

#include <stdint.h>

#include "check.h"

enum { kRanks = 4, kCount = 1000, kPatienceMs = 30000 };

struct rank {
  concclStream_t stream;
  int32_t* send;
  int32_t* recv;
};

static int32_t value(int rank, int element) { return rank * kCount + element; }

static void set_up(struct rank* self, concclComm_t comm, int number) {
  CHECK(concclStreamCreate(&self->stream, comm));
  CHECK(concclMemAlloc((void**)&self->send, kCount * sizeof *self->send));
  CHECK(concclMemAlloc((void**)&self->recv, kRanks * kCount * sizeof *self->recv));
  for (int i = 0; i < kCount; ++i) self->send[i] = value(number, i);
}

// A stream that has completed is not enough: it does so after a failure too.
static int right(const struct rank* self, concclComm_t comm) {
  concclResult_t failure;
  CHECK(concclStreamSynchronize(self->stream, kPatienceMs));
  CHECK(concclCommGetAsyncError(comm, &failure));
  if (failure != concclSuccess) {
    fprintf(stderr, "all_gather: %s\n", concclGetLastError(comm));
    return 0;
  }
  for (int i = 0; i < kRanks * kCount; ++i) {
    if (self->recv[i] != value(i / kCount, i % kCount)) return 0;
  }
  return 1;
}

static void tear_down(struct rank* self, concclComm_t comm) {
  CHECK(concclCommDestroy(comm));
  CHECK(concclStreamDestroy(self->stream));
  CHECK(concclMemFree(self->send));
  CHECK(concclMemFree(self->recv));
}

int main(void) {
  concclComm_t comms[kRanks];
  struct rank ranks[kRanks];
  concclConfig_t config = CONCCL_CONFIG_INITIALIZER;
  config.backend = "host";  // the CPU writes and reads the buffers
  CHECK(concclCommInitAllConfig(comms, kRanks, NULL, &config));
  for (int i = 0; i < kRanks; ++i) set_up(&ranks[i], comms[i], i);

  CHECK(concclGroupStart());
  for (int i = 0; i < kRanks; ++i) {
    CHECK(concclAllGather(ranks[i].send, ranks[i].recv, kCount, concclInt32, comms[i],
                          ranks[i].stream));
  }
  CHECK(concclGroupEnd());

  int wrong = 0;
  for (int i = 0; i < kRanks; ++i) {
    const int good = right(&ranks[i], comms[i]);
    printf("rank %d: %s\n", i, good ? "every element is right" : "WRONG");
    wrong += !good;
  }
  for (int i = 0; i < kRanks; ++i) tear_down(&ranks[i], comms[i]);
  return wrong == 0 ? 0 : 1;
}
