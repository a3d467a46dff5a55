// See fake_cuda.h.
#include "support/gpu/fake_cuda.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace linerate::cuda {
namespace {

constexpr std::size_t kGpuBytes = std::size_t{1} << 33;
thread_local int current = 0;

cudaError_t set_device(int device) {
  if (device < 0 || device >= kFakeGpus) return cudaErrorInvalidDevice;
  current = device;
  return cudaSuccess;
}

cudaError_t get_properties(cudaDeviceProp* properties, int device) {
  if (device < 0 || device >= kFakeGpus) return cudaErrorInvalidDevice;
  *properties = {};
  std::snprintf(properties->name, sizeof properties->name, "Fake GPU");
  return cudaSuccess;
}

cudaError_t get_bus_id(char* text, int bytes, int device) {
  std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02X:00.0", 0xa0 + device);
  return cudaSuccess;
}

cudaError_t allocate(void** memory, std::size_t bytes) {
  constexpr std::size_t kAlignment = 256;  // CUDA's
  if (bytes > kGpuBytes) return cudaErrorMemoryAllocation;
  *memory = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t release(void* memory) {
  std::free(memory);
  return cudaSuccess;
}

// A stream is the number of its device.
cudaError_t create_stream(cudaStream_t* stream, unsigned) {
  *stream = reinterpret_cast<cudaStream_t>(new int(current));
  return cudaSuccess;
}

cudaError_t destroy_stream(cudaStream_t stream) {
  delete reinterpret_cast<int*>(stream);
  return cudaSuccess;
}

CudaApi make_fake() {
  CudaApi api = cuda_runtime();  // names of errors need no driver
  api.get_device_count = [](int* count) {
    *count = kFakeGpus;
    return cudaSuccess;
  };
  api.set_device = set_device;
  api.get_device = [](int* device) {
    *device = current;
    return cudaSuccess;
  };
  api.get_device_properties = get_properties;
  api.device_get_pci_bus_id = get_bus_id;
  api.mem_get_info = [](std::size_t* free, std::size_t* total) {
    *free = *total = kGpuBytes;
    return cudaSuccess;
  };
  api.malloc = allocate;
  api.free = release;
  api.host_alloc = [](void** memory, std::size_t bytes, unsigned) {
    return allocate(memory, bytes);
  };
  api.free_host = release;
  api.memcpy_async = [](void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                        cudaStream_t) {
    std::memcpy(to, from, bytes);
    return cudaSuccess;
  };
  api.stream_create_with_flags = create_stream;
  api.stream_destroy = destroy_stream;
  api.stream_query = [](cudaStream_t) { return cudaSuccess; };
  api.driver_get_version = [](int* version) {
    *version = CUDART_VERSION;
    return cudaSuccess;
  };
  api.get_last_error = [] { return cudaSuccess; };
  return api;
}

CudaApi make_fake_without_driver() {
  CudaApi api = make_fake();
  api.driver_get_version = [](int* version) {
    *version = 0;
    return cudaSuccess;
  };
  api.get_device_count = [](int*) { return cudaErrorInsufficientDriver; };
  return api;
}

}  // namespace

const CudaApi& fake_cuda() {
  static const CudaApi kApi = make_fake();
  return kApi;
}

const CudaApi& fake_cuda_without_driver() {
  static const CudaApi kApi = make_fake_without_driver();
  return kApi;
}

}  // namespace linerate::cuda
