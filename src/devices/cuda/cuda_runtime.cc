// See cuda_api.h.
#include "devices/cuda/cuda_api.h"

namespace linerate::cuda {

const CudaApi& cuda_runtime() {
  static constexpr CudaApi kRuntime{
      .get_device_count = cudaGetDeviceCount,
      .set_device = cudaSetDevice,
      .get_device = cudaGetDevice,
      .get_device_properties = cudaGetDeviceProperties,
      .device_get_pci_bus_id = cudaDeviceGetPCIBusId,
      .mem_get_info = cudaMemGetInfo,
      .malloc = cudaMalloc,
      .free = cudaFree,
      .host_alloc = cudaHostAlloc,
      .free_host = cudaFreeHost,
      .memcpy_async = cudaMemcpyAsync,
      .memset_async = cudaMemsetAsync,
      .stream_create_with_flags = cudaStreamCreateWithFlags,
      .stream_destroy = cudaStreamDestroy,
      .stream_query = cudaStreamQuery,
      .stream_begin_capture = cudaStreamBeginCapture,
      .stream_end_capture = cudaStreamEndCapture,
      .graph_instantiate = cudaGraphInstantiate,
      .graph_launch = cudaGraphLaunch,
      .graph_exec_destroy = cudaGraphExecDestroy,
      .graph_destroy = cudaGraphDestroy,
      .event_create_with_flags = cudaEventCreateWithFlags,
      .event_query = cudaEventQuery,
      .event_record = cudaEventRecord,
      .event_elapsed_time = cudaEventElapsedTime,
      .event_destroy = cudaEventDestroy,
      .stream_wait_event = cudaStreamWaitEvent,
      .device_can_access_peer = cudaDeviceCanAccessPeer,
      .device_enable_peer_access = cudaDeviceEnablePeerAccess,
      .driver_get_version = cudaDriverGetVersion,
      .runtime_get_version = cudaRuntimeGetVersion,
      .get_error_name = cudaGetErrorName,
      .get_error_string = cudaGetErrorString,
      .get_last_error = cudaGetLastError,
  };
  return kRuntime;
}

}  // namespace linerate::cuda
