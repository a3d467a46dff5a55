// The kernels of a GPU device and those of memcpy_perf, as tables: the real ones, or a test's on
// the host.
#pragma once

#include "comm/content.h"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace linerate::cuda {

// What count_wrong() adds up, in memory that the device reaches.
struct WrongCount {
  unsigned long long wrong = 0;
  unsigned long long first = ~0ull;  // index of the first wrong element
};

// Each enqueues on `stream` and yields the error of the launch. `memory` is aligned to the element
// and holds `count` of them.
struct Kernels {
  cudaError_t (*fill)(void* memory, std::size_t count, const Content& content,
                      cudaStream_t stream) = nullptr;
  // Adds what differs from `content` to *sum.
  cudaError_t (*count_wrong)(const void* memory, std::size_t count, const Content& content,
                             WrongCount* sum, cudaStream_t stream) = nullptr;
};

const Kernels& gpu_kernels();

// In page-locked host memory that the GPU reads: work behind the gate waits until `open`.
struct GateFlags {
  volatile unsigned open = 0;     // set by the host
  volatile unsigned gave_up = 0;  // set by the GPU when it waited too long and went on
  volatile unsigned passed = 0;   // set by the GPU when it went on, for either reason
};

// Each enqueues on `stream` of the current device and yields the error of the launch.
struct CopyKernels {
  // One thread waits until flags->open, or at most `limit_ns`: then it sets gave_up. It sets passed
  // and ends.
  cudaError_t (*wait_at_gate)(GateFlags* flags, std::uint64_t limit_ns,
                              cudaStream_t stream) = nullptr;
  // `bytes` is a multiple of 16, to which both addresses are aligned.
  cudaError_t (*copy)(void* to, const void* from, std::size_t bytes, unsigned blocks,
                      cudaStream_t stream) = nullptr;
};

// Blocks of `copy` that one multiprocessor holds at once.
inline constexpr unsigned kCopyBlocksPerSm = 4;

const CopyKernels& gpu_copy_kernels();

}  // namespace linerate::cuda
