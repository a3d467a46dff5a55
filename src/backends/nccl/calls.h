// From an Op to the calls of NCCL that do it.
#pragma once

#include "backends/nccl/endpoint.h"
#include "comm/op.h"
#include "devices/cuda/cuda_api.h"

namespace linerate::nccl {

// Where a call goes.
struct Target {
  const Endpoint& endpoint;
  cudaStream_t stream = nullptr;
  int rank = 0;
  int nranks = 1;
};

// Enqueues `op`. What NCCL has no call for, in this version or at all, is a group of sends and
// receives. Throws NcclError.
void enqueue(const Op& op, const Target& target);

}  // namespace linerate::nccl
