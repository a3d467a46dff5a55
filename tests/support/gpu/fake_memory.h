// The memory of fake GPUs: the host's, counted.
#pragma once

#include <cstddef>

namespace linerate::cuda {

// Of each GPU: 8 GiB, or what LINERATE_FAKE_GPU_BYTES says.
std::size_t fake_gpu_bytes();

// Aligned memory of GPU `device`; null where it has no more. Safe from any thread.
void* allocate_fake(int device, std::size_t bytes, std::size_t alignment);
void free_fake(void* memory);
std::size_t free_fake_bytes(int device);
int fake_device_of(const void* memory);  // -1: of none

}  // namespace linerate::cuda
