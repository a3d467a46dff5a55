// The kernels that use NCCL's device API, as a table: the real ones, or a test's on the host.
#pragma once

#include "comm/data_type.h"

#include <nccl_device.h>  // brings the types of CUDA too

#include <cstddef>

namespace linerate::nccl {

// One call of one rank. Offsets are in bytes from the start of the window, the same on all ranks.
struct DeviceCall {
  ncclWindow_t send = nullptr;
  std::size_t send_offset = 0;
  ncclWindow_t recv = nullptr;
  std::size_t recv_offset = 0;
  std::size_t count = 0;  // Op's: elements, of all_to_all between each pair of ranks
  DataType type = DataType::float32;
  int implementation = 1;  // the number of -D
  int ctas = 1;
  cudaStream_t stream = nullptr;
};

// Each enqueues on call.stream and yields the error of the launch: cudaErrorNotSupported where
// there is no such kernel for the type. REQUIRES: all ranks of `comm` are one LSA team; it has
// call.ctas LSA barriers and, for multimem, the multicast address of that team.
struct DeviceKernels {
  cudaError_t (*all_reduce)(const ncclDevComm& comm, const DeviceCall& call) = nullptr;  // the sum
  cudaError_t (*all_to_all)(const ncclDevComm& comm, const DeviceCall& call) = nullptr;
};

const DeviceKernels& gpu_device_kernels();

}  // namespace linerate::nccl
