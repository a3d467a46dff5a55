// The calls of the CUDA runtime that linerate makes, as a table: the real ones, or a test's.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <type_traits>

namespace linerate::cuda {

// Every call as entry and function, and with its type where C++ headers overload the name.
#define LINERATE_CUDA_CALLS(CALL, OVERLOADED)                                                    \
  CALL(get_device_count, cudaGetDeviceCount)                                                     \
  CALL(set_device, cudaSetDevice)                                                                \
  CALL(get_device, cudaGetDevice)                                                                \
  OVERLOADED(get_device_properties, cudaGetDeviceProperties,                                     \
             cudaError_t(cudaDeviceProp* properties, int device))                                \
  CALL(device_get_attribute, cudaDeviceGetAttribute)                                             \
  CALL(device_get_pci_bus_id, cudaDeviceGetPCIBusId)                                             \
  CALL(pointer_get_attributes, cudaPointerGetAttributes)                                         \
  CALL(mem_get_info, cudaMemGetInfo)                                                             \
  OVERLOADED(malloc, cudaMalloc, cudaError_t(void** memory, std::size_t bytes))                  \
  CALL(free, cudaFree)                                                                           \
  OVERLOADED(host_alloc, cudaHostAlloc,                                                          \
             cudaError_t(void** memory, std::size_t bytes, unsigned flags))                      \
  CALL(free_host, cudaFreeHost)                                                                  \
  CALL(memcpy_async, cudaMemcpyAsync)                                                            \
  CALL(memset_async, cudaMemsetAsync)                                                            \
  CALL(stream_create_with_flags, cudaStreamCreateWithFlags)                                      \
  CALL(stream_destroy, cudaStreamDestroy)                                                        \
  CALL(stream_query, cudaStreamQuery)                                                            \
  CALL(stream_begin_capture, cudaStreamBeginCapture)                                             \
  CALL(stream_end_capture, cudaStreamEndCapture)                                                 \
  OVERLOADED(graph_instantiate, cudaGraphInstantiate,                                            \
             cudaError_t(cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long flags))    \
  CALL(graph_launch, cudaGraphLaunch)                                                            \
  CALL(graph_exec_destroy, cudaGraphExecDestroy)                                                 \
  CALL(graph_destroy, cudaGraphDestroy)                                                          \
  CALL(event_create_with_flags, cudaEventCreateWithFlags)                                        \
  CALL(event_query, cudaEventQuery)                                                              \
  OVERLOADED(event_record, cudaEventRecord, cudaError_t(cudaEvent_t event, cudaStream_t stream)) \
  CALL(event_elapsed_time, cudaEventElapsedTime)                                                 \
  CALL(event_destroy, cudaEventDestroy)                                                          \
  CALL(stream_wait_event, cudaStreamWaitEvent)                                                   \
  CALL(device_can_access_peer, cudaDeviceCanAccessPeer)                                          \
  CALL(device_enable_peer_access, cudaDeviceEnablePeerAccess)                                    \
  CALL(driver_get_version, cudaDriverGetVersion)                                                 \
  CALL(runtime_get_version, cudaRuntimeGetVersion)                                               \
  CALL(get_error_name, cudaGetErrorName)                                                         \
  CALL(get_error_string, cudaGetErrorString)                                                     \
  CALL(get_last_error, cudaGetLastError)

// Each entry is the runtime's function, with its contract.
struct CudaApi {
#define CALL(entry, function) decltype(&(function)) entry = nullptr;  // NOLINT: a declaration
#define OVERLOADED(entry, function, type) std::add_pointer_t<type> entry = nullptr;
  LINERATE_CUDA_CALLS(CALL, OVERLOADED)
#undef CALL
#undef OVERLOADED
};

// Of the runtime that this library is linked with.
const CudaApi& cuda_runtime();

}  // namespace linerate::cuda
