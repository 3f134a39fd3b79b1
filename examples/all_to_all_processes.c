// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// An all-to-all between processes, one rank each, on windows, in C:
//   conccl run -n 4 PROGRAM

#include <stdint.h>

#include "check.h"

enum { kCount = 1000, kPatienceMs = 30000 };

// What rank `from` sends to rank `to`.
static int64_t value(int from, int to, int element) {
  return ((int64_t)from * 1000 + to) * kCount + element;
}

static void fill(int64_t* send, int rank, int ranks) {
  for (int to = 0; to < ranks; ++to) {
    for (int i = 0; i < kCount; ++i) send[to * kCount + i] = value(rank, to, i);
  }
}

static int right(const int64_t* recv, int rank, int ranks) {
  for (int from = 0; from < ranks; ++from) {
    for (int i = 0; i < kCount; ++i) {
      if (recv[from * kCount + i] != value(from, rank, i)) return 0;
    }
  }
  return 1;
}

static void exchange(concclComm_t comm, const int64_t* send, int64_t* recv) {
  concclStream_t stream;
  concclResult_t failure;
  CHECK(concclStreamCreate(&stream, comm));
  CHECK(concclAlltoAll(send, recv, kCount, concclInt64, comm, stream));
  CHECK(concclStreamSynchronize(stream, kPatienceMs));
  CHECK(concclCommGetAsyncError(comm, &failure));
  if (failure != concclSuccess) {
    fprintf(stderr, "all_to_all_processes: %s\n", concclGetLastError(comm));
    exit(1);
  }
  CHECK(concclStreamDestroy(stream));
}

int main(int argc, char** argv) {
  (void)argc;
  if (getenv("RANK") == NULL) {
    fprintf(stderr, "%s: no RANK in the environment; start it with\n  conccl run -n 4 %s\n",
            argv[0], argv[0]);
    return 2;
  }
  concclComm_t comm;
  int rank = 0;
  int ranks = 0;
  concclConfig_t config = CONCCL_CONFIG_INITIALIZER;
  config.backend = "host";  // the CPU writes and reads the buffers
  CHECK(concclCommInitFromEnv(&comm, &config));
  CHECK(concclCommUserRank(comm, &rank));
  CHECK(concclCommCount(comm, &ranks));

  int64_t* send;
  int64_t* recv;
  const size_t bytes = (size_t)ranks * kCount * sizeof *send;
  CHECK(concclMemAlloc((void**)&send, bytes));
  CHECK(concclMemAlloc((void**)&recv, bytes));
  fill(send, rank, ranks);
  concclWindow_t send_window;
  concclWindow_t recv_window;
  CHECK(concclCommWindowRegister(comm, send, bytes, &send_window, CONCCL_WIN_DEFAULT));
  CHECK(concclCommWindowRegister(comm, recv, bytes, &recv_window, CONCCL_WIN_DEFAULT));

  exchange(comm, send, recv);
  const int good = right(recv, rank, ranks);
  printf("rank %d of %d: %s\n", rank, ranks, good ? "every element is right" : "WRONG");

  CHECK(concclCommDestroy(comm));
  CHECK(concclMemFree(send));
  CHECK(concclMemFree(recv));
  return good ? 0 : 1;
}
