#include "support/gpu/fake_cuda.h"

#include "support/gpu/fake_log.h"
#include "support/gpu/fake_memory.h"
#include "support/gpu/fake_stream.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

namespace linerate::cuda {
namespace {

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

cudaError_t get_attribute(int* value, cudaDeviceAttr attribute, int device) {
  if (attribute == cudaDevAttrComputeCapabilityMajor)
    return *value = fake_sm(device) / 10, cudaSuccess;
  if (attribute == cudaDevAttrComputeCapabilityMinor)
    return *value = fake_sm(device) % 10, cudaSuccess;
  return cudaErrorInvalidValue;
}

cudaError_t get_bus_id(char* text, int bytes, int device) {
  std::snprintf(text, static_cast<std::size_t>(bytes), "0000:%02X:00.0", 0xa0 + device);
  return cudaSuccess;
}

cudaError_t allocate(void** memory, std::size_t bytes) {
  constexpr std::size_t kAlignment = 256;  // CUDA's
  *memory = allocate_fake(current, bytes, kAlignment);
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t release(void* memory) {
  free_fake(memory);
  return cudaSuccess;
}

cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                 cudaStream_t stream) {
  enqueue_fake(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}

void add_streams(CudaApi& api) {
  api.stream_create_with_flags = [](cudaStream_t* stream, unsigned) {
    *stream = make_fake_stream();
    return cudaSuccess;
  };
  api.stream_destroy = [](cudaStream_t stream) {
    free_fake_stream(stream);
    return cudaSuccess;
  };
  api.stream_query = [](cudaStream_t stream) {
    return fake_stream_idle(stream) ? cudaSuccess : cudaErrorNotReady;
  };
  api.memcpy_async = copy;
  api.memset_async = [](void* to, int value, std::size_t bytes, cudaStream_t stream) {
    enqueue_fake(stream, [=] { std::memset(to, value, bytes); });
    return cudaSuccess;
  };
}

// A graph is the list of its work, for both of its handles.
using Work = std::vector<FakeWork>;

void add_graphs(CudaApi& api) {
  api.stream_begin_capture = [](cudaStream_t stream, cudaStreamCaptureMode) {
    if (stream == nullptr) return cudaErrorStreamCaptureUnsupported;
    fake_stream(stream).begin_capture();
    return cudaSuccess;
  };
  api.stream_end_capture = [](cudaStream_t stream, cudaGraph_t* graph) {
    *graph = reinterpret_cast<cudaGraph_t>(new Work(fake_stream(stream).end_capture()));
    return cudaSuccess;
  };
  api.graph_instantiate = [](cudaGraphExec_t* exec, cudaGraph_t graph, unsigned long long) {
    *exec = reinterpret_cast<cudaGraphExec_t>(new Work(*reinterpret_cast<Work*>(graph)));
    return cudaSuccess;
  };
  api.graph_launch = [](cudaGraphExec_t exec, cudaStream_t stream) {
    for (const auto& work : *reinterpret_cast<Work*>(exec)) fake_stream(stream).enqueue(work);
    return cudaSuccess;
  };
  api.graph_exec_destroy = [](cudaGraphExec_t exec) {
    delete reinterpret_cast<Work*>(exec);
    return cudaSuccess;
  };
  api.graph_destroy = [](cudaGraph_t graph) {
    delete reinterpret_cast<Work*>(graph);
    return cudaSuccess;
  };
}

// An event is the moment when the stream got to it last. Work that is enqueued may outlive it.
struct FakeEvent {
  std::atomic<std::uint64_t> asked = 0, reached = 0;  // records enqueued, and run
  std::chrono::steady_clock::time_point at{};
};
using EventHandle = std::shared_ptr<FakeEvent>;

const EventHandle& event_of(cudaEvent_t event) { return *reinterpret_cast<EventHandle*>(event); }

cudaError_t record_event(cudaEvent_t handle, cudaStream_t stream) {
  ++event_of(handle)->asked;
  enqueue_fake(stream, [event = event_of(handle)] {
    event->at = std::chrono::steady_clock::now();
    ++event->reached;
  });
  return cudaSuccess;
}

cudaError_t wait_for_event(cudaStream_t stream, cudaEvent_t handle, unsigned) {
  fake_stream(stream).enqueue([event = event_of(handle), ticket = event_of(handle)->asked.load()] {
    return [event, ticket] { return event->reached >= ticket; };
  });
  return cudaSuccess;
}

void add_events(CudaApi& api) {
  api.event_create_with_flags = [](cudaEvent_t* event, unsigned) {
    *event = reinterpret_cast<cudaEvent_t>(new EventHandle(std::make_shared<FakeEvent>()));
    return cudaSuccess;
  };
  api.event_record = record_event;
  api.stream_wait_event = wait_for_event;
  api.event_query = [](cudaEvent_t event) {
    (void)fake_stream_idle(nullptr);  // all of this thread's go on
    return event_of(event)->reached >= event_of(event)->asked ? cudaSuccess : cudaErrorNotReady;
  };
  api.event_elapsed_time = [](float* ms, cudaEvent_t from, cudaEvent_t to) {
    const auto between = event_of(to)->at - event_of(from)->at;
    *ms = std::chrono::duration<float, std::milli>(between).count();
    return cudaSuccess;
  };
  api.event_destroy = [](cudaEvent_t event) {
    delete reinterpret_cast<EventHandle*>(event);
    return cudaSuccess;
  };
}

CudaApi make_fake() {
  CudaApi api = cuda_runtime();  // names of errors need no driver
  api.get_device_count = [](int* count) {
    *count = kFakeGpus;
    return cudaSuccess;
  };
  api.set_device = set_device;
  api.get_device = [](int* device) {
    log_fake_call("cudaGetDevice");
    *device = current;
    return cudaSuccess;
  };
  api.get_device_properties = get_properties;
  api.device_get_attribute = get_attribute;
  api.device_get_pci_bus_id = get_bus_id;
  api.pointer_get_attributes = [](cudaPointerAttributes* attributes, const void* memory) {
    const bool on_gpu = fake_device_of(memory) >= 0;
    attributes->type = on_gpu ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
    return cudaSuccess;
  };
  api.mem_get_info = [](std::size_t* free, std::size_t* total) {
    *free = free_fake_bytes(current);
    *total = fake_gpu_bytes();
    return cudaSuccess;
  };
  api.malloc = allocate;
  api.free = release;
  api.host_alloc = [](void** memory, std::size_t bytes, unsigned) {
    return allocate(memory, bytes);
  };
  api.free_host = release;
  add_streams(api);
  add_graphs(api);
  add_events(api);
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

int fake_sm(int device) {
  constexpr int kDefault = 90;
  const char* text = std::getenv("LINERATE_FAKE_GPU_SM");
  if (text == nullptr) return kDefault;
  for (int i = 0; i < device && std::strchr(text, ',') != nullptr; ++i)
    text = std::strchr(text, ',') + 1;
  return std::atoi(text);
}

const CudaApi& fake_cuda() {
  static const CudaApi kApi = make_fake();
  return kApi;
}

const CudaApi& fake_cuda_without_driver() {
  static const CudaApi kApi = make_fake_without_driver();
  return kApi;
}

}  // namespace linerate::cuda
