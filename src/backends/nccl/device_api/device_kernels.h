// The kernels that use NCCL's device API, as a table, the real ones or a test's on the host; and
// how the elements of a call are divided among vectors, ranks and threads, the same on host and
// GPU.
#pragma once

#include "comm/data_type.h"

#include <nccl_device.h>  // brings the types of CUDA too

#include <cstddef>

namespace linerate::nccl {

// Bytes of a buffer: [0, lead) and [rest, bytes) element by element, `units` vectors in between.
struct Parts {
  std::size_t lead = 0;
  std::size_t units = 0;
  std::size_t rest = 0;
};

// Vectors of `unit` bytes begin at multiples of it in both windows. Buffers that are not equally
// far from one have none. REQUIRES: windows begin at multiples of `unit`, a power of two.
constexpr Parts parts_of(std::size_t send_offset, std::size_t recv_offset, std::size_t bytes,
                         std::size_t unit) {
  const bool together = (send_offset - recv_offset) % unit == 0;
  const std::size_t lead = (unit - send_offset % unit) % unit;
  if (!together || lead > bytes) return {.lead = bytes, .units = 0, .rest = bytes};
  const std::size_t units = (bytes - lead) / unit;
  return {.lead = lead, .units = units, .rest = lead + units * unit};
}

// A thread among all threads of all ranks.
struct Worker {
  std::size_t rank, nranks;
  std::size_t cta, nctas;
  std::size_t thread, nthreads;  // of its CTA
};

// What it works at: `first`, and from there on each `stride`th.
struct Share {
  std::size_t first, stride;
};

// Every index belongs to one thread of one rank.
constexpr Share share_of(const Worker& worker) {
  const auto& [rank, nranks, cta, nctas, thread, nthreads] = worker;
  return {.first = (cta * nranks + rank) * nthreads + thread, .stride = nctas * nranks * nthreads};
}

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
