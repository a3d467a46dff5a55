// One thread waits at the gate; all threads of a copy have several loads under way.
#include "devices/cuda/kernels.h"

namespace linerate::cuda {
namespace {

constexpr unsigned kCopyThreads = 512;  // kCopyBlocksPerSm of them fill a multiprocessor
constexpr unsigned kInFlight = 4;       // loads of a thread before its first store

__device__ std::uint64_t now_ns() {
  std::uint64_t ns = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__global__ void gate_kernel(GateFlags* flags, std::uint64_t limit_ns) {
  const std::uint64_t start_ns = now_ns();
  while (flags->open == 0) {
    if (now_ns() - start_ns < limit_ns) continue;
    flags->gave_up = 1;
    break;
  }
  flags->passed = 1;
  __threadfence_system();
}

// Neighbouring threads copy neighbouring vectors of 16 bytes; each has several loads under way,
// because one alone cannot fill a link with this latency.
__global__ void __launch_bounds__(kCopyThreads, kCopyBlocksPerSm)
    copy_kernel(uint4* __restrict__ to, const uint4* __restrict__ from, std::size_t count) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  for (; i + (kInFlight - 1) * stride < count; i += kInFlight * stride) {
    uint4 held[kInFlight];
#pragma unroll
    for (unsigned k = 0; k < kInFlight; ++k) held[k] = from[i + k * stride];
#pragma unroll
    for (unsigned k = 0; k < kInFlight; ++k) to[i + k * stride] = held[k];
  }
  for (; i < count; i += stride) to[i] = from[i];
}

cudaError_t wait_at_gate(GateFlags* flags, std::uint64_t limit_ns, cudaStream_t stream) {
  gate_kernel<<<1, 1, 0, stream>>>(flags, limit_ns);
  return cudaGetLastError();
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, unsigned blocks,
                 cudaStream_t stream) {
  copy_kernel<<<blocks, kCopyThreads, 0, stream>>>(
      static_cast<uint4*>(to), static_cast<const uint4*>(from), bytes / sizeof(uint4));
  return cudaGetLastError();
}

}  // namespace

const CopyKernels& gpu_copy_kernels() {
  static constexpr CopyKernels kKernels{.wait_at_gate = wait_at_gate, .copy = copy};
  return kKernels;
}

}  // namespace linerate::cuda
