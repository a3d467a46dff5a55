// The calls of the CUDA runtime that linerate makes, as a table: the real ones, or a test's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace linerate::cuda {

// Each entry is the runtime's function of that name, with its contract. Where C++ headers overload
// the name, the C function's type is written out.
struct CudaApi {
  decltype(&cudaGetDeviceCount) get_device_count = nullptr;
  decltype(&cudaSetDevice) set_device = nullptr;
  decltype(&cudaGetDevice) get_device = nullptr;
  cudaError_t (*get_device_properties)(cudaDeviceProp* properties, int device) = nullptr;
  decltype(&cudaDeviceGetPCIBusId) device_get_pci_bus_id = nullptr;
  decltype(&cudaMemGetInfo) mem_get_info = nullptr;
  cudaError_t (*malloc)(void** memory, std::size_t bytes) = nullptr;
  decltype(&cudaFree) free = nullptr;
  cudaError_t (*host_alloc)(void** memory, std::size_t bytes, unsigned flags) = nullptr;
  decltype(&cudaFreeHost) free_host = nullptr;
  decltype(&cudaMemcpyAsync) memcpy_async = nullptr;
  decltype(&cudaMemsetAsync) memset_async = nullptr;
  decltype(&cudaStreamCreateWithFlags) stream_create_with_flags = nullptr;
  decltype(&cudaStreamDestroy) stream_destroy = nullptr;
  decltype(&cudaStreamQuery) stream_query = nullptr;
  decltype(&cudaStreamBeginCapture) stream_begin_capture = nullptr;
  decltype(&cudaStreamEndCapture) stream_end_capture = nullptr;
  cudaError_t (*graph_instantiate)(cudaGraphExec_t* exec, cudaGraph_t graph,
                                   unsigned long long flags) = nullptr;
  decltype(&cudaGraphLaunch) graph_launch = nullptr;
  decltype(&cudaGraphExecDestroy) graph_exec_destroy = nullptr;
  decltype(&cudaGraphDestroy) graph_destroy = nullptr;
  decltype(&cudaEventCreateWithFlags) event_create_with_flags = nullptr;
  decltype(&cudaEventQuery) event_query = nullptr;
  cudaError_t (*event_record)(cudaEvent_t event, cudaStream_t stream) = nullptr;
  decltype(&cudaEventElapsedTime) event_elapsed_time = nullptr;
  decltype(&cudaEventDestroy) event_destroy = nullptr;
  decltype(&cudaStreamWaitEvent) stream_wait_event = nullptr;
  decltype(&cudaDeviceCanAccessPeer) device_can_access_peer = nullptr;
  decltype(&cudaDeviceEnablePeerAccess) device_enable_peer_access = nullptr;
  decltype(&cudaDriverGetVersion) driver_get_version = nullptr;
  decltype(&cudaRuntimeGetVersion) runtime_get_version = nullptr;
  decltype(&cudaGetErrorName) get_error_name = nullptr;
  decltype(&cudaGetErrorString) get_error_string = nullptr;
  decltype(&cudaGetLastError) get_last_error = nullptr;
};

// Of the runtime that this library is linked with.
const CudaApi& cuda_runtime();

}  // namespace linerate::cuda
