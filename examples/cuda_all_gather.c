// SPDX-FileCopyrightText: 2026 The ConCCL authors
// SPDX-License-Identifier: Apache-2.0

// An all-gather between processes on GPUs, with memory and a stream of the CUDA runtime, in C:
//   conccl run -n 2 PROGRAM

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "check.h"

#define CHECK_CUDA(call)                                             \
  do {                                                               \
    cudaError_t error = (call);                                      \
    if (error != cudaSuccess) {                                      \
      fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
      exit(1);                                                       \
    }                                                                \
  } while (0)

enum { kCount = 1 << 20 };

static float value(int rank, int element) { return (float)(rank * 1000 + element % 1000); }

// The CUDA runtime's current device is the one that the communicator takes.
static void choose_gpu(void) {
  const char* local_rank = getenv("LOCAL_RANK");
  int gpus = 0;
  CHECK_CUDA(cudaGetDeviceCount(&gpus));
  CHECK_CUDA(cudaSetDevice((local_rank != NULL ? atoi(local_rank) : 0) % gpus));
}

static float* new_send(int rank) {
  float* host = malloc(kCount * sizeof *host);
  float* send;
  if (host == NULL) exit(1);
  for (int i = 0; i < kCount; ++i) host[i] = value(rank, i);
  CHECK_CUDA(cudaMalloc((void**)&send, kCount * sizeof *send));
  CHECK_CUDA(cudaMemcpy(send, host, kCount * sizeof *send, cudaMemcpyHostToDevice));
  free(host);
  return send;
}

static int right(const float* recv, int ranks) {
  const size_t bytes = (size_t)ranks * kCount * sizeof *recv;
  float* host = malloc(bytes);
  int good = 1;
  if (host == NULL) exit(1);
  CHECK_CUDA(cudaMemcpy(host, recv, bytes, cudaMemcpyDeviceToHost));
  for (int rank = 0; rank < ranks; ++rank) {
    for (int i = 0; i < kCount; ++i) good &= host[rank * kCount + i] == value(rank, i);
  }
  free(host);
  return good;
}

int main(int argc, char** argv) {
  (void)argc;
  if (getenv("RANK") == NULL) {
    fprintf(stderr, "%s: no RANK in the environment; start it with\n  conccl run -n 2 %s\n",
            argv[0], argv[0]);
    return 2;
  }
  choose_gpu();
  concclConfig_t config = CONCCL_CONFIG_INITIALIZER;
  config.backend = "cuda";
  concclComm_t comm;
  int rank = 0;
  int ranks = 0;
  CHECK(concclCommInitFromEnv(&comm, &config));
  CHECK(concclCommUserRank(comm, &rank));
  CHECK(concclCommCount(comm, &ranks));

  cudaStream_t stream;
  float* recv;
  float* send = new_send(rank);
  CHECK_CUDA(cudaMalloc((void**)&recv, (size_t)ranks * kCount * sizeof *recv));
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));

  // A stream that has completed is not enough: it does so after a failure too.
  concclResult_t failure;
  CHECK(concclAllGather(send, recv, kCount, concclFloat32, comm, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  CHECK(concclCommGetAsyncError(comm, &failure));
  if (failure != concclSuccess) {
    fprintf(stderr, "cuda_all_gather: %s\n", concclGetLastError(comm));
    return 1;
  }
  const int good = right(recv, ranks);
  printf("rank %d of %d: %s\n", rank, ranks, good ? "every element is right" : "WRONG");

  CHECK(concclCommDestroy(comm));
  CHECK_CUDA(cudaStreamDestroy(stream));
  CHECK_CUDA(cudaFree(send));
  CHECK_CUDA(cudaFree(recv));
  return good ? 0 : 1;
}
