// The kernels of a GPU device, as a table: the real ones, or a test's on the host.
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

}  // namespace linerate::cuda
