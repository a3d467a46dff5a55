// See fake_timeline.h.
#include "support/gpu/fake_timeline.h"

#include "support/gpu/fake_cuda.h"
#include "support/gpu/fake_memory.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cstring>

namespace linerate::cuda {
namespace {

constexpr std::int64_t kEnqueueNs = 5000;  // of the host's time, for each call
constexpr int kHost = -1;
FakeTimeline* active = nullptr;  // a table of C functions has no other way to it

int current_device() {
  int device = 0;
  (void)fake_cuda().get_device(&device);
  return device;
}

}  // namespace

// The C functions, as friends of the timeline.
struct FakeCalls {
  static cudaError_t allocate(void** memory, std::size_t bytes) {
    const auto code = fake_cuda().malloc(memory, bytes);
    if (code == cudaSuccess)
      active->memory_[static_cast<std::byte*>(*memory)] = {bytes, current_device()};
    return code;
  }
  static cudaError_t allocate_host(void** memory, std::size_t bytes, unsigned) {
    constexpr std::size_t kPage = 4096;
    *memory = allocate_fake(kHost, bytes, kPage);
    if (*memory == nullptr) return cudaErrorMemoryAllocation;
    active->memory_[static_cast<std::byte*>(*memory)] = {bytes, kHost};
    return cudaSuccess;
  }
  static cudaError_t release(void* memory) {
    active->wait_for_work();
    active->memory_.erase(static_cast<std::byte*>(memory));
    return fake_cuda().free(memory);
  }
  static cudaError_t create_stream(cudaStream_t* stream, unsigned flags) {
    const auto code = fake_cuda().stream_create_with_flags(stream, flags);
    active->streams_[*stream] = {.device = current_device()};
    return code;
  }
  static cudaError_t destroy_stream(cudaStream_t stream) {
    active->wait_for_work();
    active->streams_.erase(stream);
    return fake_cuda().stream_destroy(stream);
  }
  static cudaError_t query_stream(cudaStream_t stream) {
    (void)active->clock_.now_ns();
    active->run();
    return active->streams_.at(stream).work.empty() ? cudaSuccess : cudaErrorNotReady;
  }
  static cudaError_t create_event(cudaEvent_t* event, unsigned) {
    *event = reinterpret_cast<cudaEvent_t>(new int(current_device()));
    active->events_[*event] = {.device = current_device()};
    return cudaSuccess;
  }
  static cudaError_t destroy_event(cudaEvent_t event) {
    active->wait_for_work();
    active->events_.erase(event);
    delete reinterpret_cast<int*>(event);
    return cudaSuccess;
  }
  // As CUDA does: event and stream are of one device.
  static cudaError_t record(cudaEvent_t event, cudaStream_t stream) {
    auto& mark = active->events_.at(event);
    if (mark.device != active->streams_.at(stream).device) return cudaErrorInvalidResourceHandle;
    ++mark.asked;
    active->enqueue(stream, {.kind = FakeTimeline::Work::Kind::record, .event = event});
    return cudaSuccess;
  }
  static cudaError_t wait(cudaStream_t stream, cudaEvent_t event, unsigned) {
    active->enqueue(stream, {.kind = FakeTimeline::Work::Kind::wait,
                             .event = event,
                             .ticket = active->events_.at(event).asked});
    return cudaSuccess;
  }
  static cudaError_t elapsed(float* ms, cudaEvent_t start, cudaEvent_t end) {
    const auto &from = active->events_.at(start), &to = active->events_.at(end);
    if (from.device != to.device) return cudaErrorInvalidResourceHandle;
    if (to.reached < to.asked || to.asked == 0) return cudaErrorNotReady;
    *ms = static_cast<float>((to.at_ns - from.at_ns) / 1e6);
    return cudaSuccess;
  }
  static cudaError_t copy(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
    if (active->is_faulty(current_device()) && active->fail_copy_in >= 0 &&
        active->fail_copy_in-- == 0)
      return cudaErrorLaunchFailure;
    active->enqueue(
        stream, {.kind = FakeTimeline::Work::Kind::copy, .to = to, .from = from, .bytes = bytes});
    return cudaSuccess;
  }
  static cudaError_t gate(GateFlags* flags, std::uint64_t limit_ns, cudaStream_t stream) {
    const double asked_ns = static_cast<double>(limit_ns);
    ++active->gates_waiting_;
    active->enqueue(stream, {.kind = FakeTimeline::Work::Kind::gate,
                             .gate = flags,
                             .limit_ns = active->limit_s < 0 ? asked_ns : active->limit_s * 1e9});
    return cudaSuccess;
  }
  static cudaError_t call(cudaStream_t stream, std::function<void()> body) {
    active->enqueue(stream, {.kind = FakeTimeline::Work::Kind::call, .call = std::move(body)});
    return cudaSuccess;
  }
  static cudaError_t can_access(int* can, int gpu, int peer) {
    const auto& [a, b] = active->links_.apart;
    *can = std::minmax(gpu, peer) == std::minmax(a, b) ? 0 : 1;
    return cudaSuccess;
  }
};

FakeTimeline::FakeTimeline(const FakeLinks& links) : links_(links) {
  assert(active == nullptr);
  active = this;
}

FakeTimeline::~FakeTimeline() {
  wait_for_work();
  for (const auto& [stream, _] : streams_)
    (void)fake_cuda().stream_destroy(static_cast<cudaStream_t>(stream));
  for (const auto& [event, _] : events_) delete static_cast<int*>(event);
  for (const auto& [memory, _] : memory_) (void)fake_cuda().free(const_cast<std::byte*>(memory));
  active = nullptr;
}

void FakeTimeline::wait_for_work() {
  run();
  if (!stuck || pending() == 0) return;
  ++endless_waits_;
  while (waits_for_ever) pause();
}

std::size_t FakeTimeline::pending() const {
  std::size_t work = 0;
  for (const auto& [_, queue] : streams_) work += queue.work.size();
  return work;
}

int FakeTimeline::device_of(const void* memory) const {
  const auto* const at = static_cast<const std::byte*>(memory);
  auto block = memory_.upper_bound(at);
  if (block == memory_.begin()) return kHost;
  --block;
  return at < block->first + block->second.first ? block->second.second : kHost;
}

double FakeTimeline::copy_time_ns(const Work& work) const {
  constexpr double kSlow = 4;
  const int from = device_of(work.from), to = device_of(work.to);
  double factor = to == kHost ? links_.slow_up : 1;
  if (from == links_.slow_gpu || to == links_.slow_gpu) factor *= kSlow;
  return factor * static_cast<double>(work.bytes) / links_.gbps;
}

double& FakeTimeline::link_free_ns(const Work& work) {
  std::pair ends(device_of(work.from), device_of(work.to));
  if (!links_.full_duplex && ends.first > ends.second) std::swap(ends.first, ends.second);
  return free_ns_[ends];
}

bool FakeTimeline::can_run(const Queue& queue) const {
  if (queue.work.empty() || is_stuck(queue.device)) return false;
  const Work& work = queue.work.front();
  const auto host_ns = static_cast<double>(clock_.now_ns_);
  if (work.kind == Work::Kind::gate)
    return work.gate->open != 0 || host_ns > work.enqueued_ns + work.limit_ns;
  if (work.kind == Work::Kind::wait) return events_.at(work.event).reached >= work.ticket;
  return true;
}

// When the first work of the queue would start.
double FakeTimeline::start_ns(const Queue& queue) {
  const Work& work = queue.work.front();
  const double ready_ns = std::max(queue.now_ns, work.enqueued_ns);
  switch (work.kind) {
    case Work::Kind::copy:
      return std::max(ready_ns, link_free_ns(work));
    case Work::Kind::gate:
      return std::max(ready_ns, static_cast<double>(clock_.now_ns_));
    case Work::Kind::wait:
      return std::max(ready_ns, events_.at(work.event).at_ns);
    case Work::Kind::record:
    case Work::Kind::call:
      return ready_ns;
  }
  __builtin_unreachable();
}

void FakeTimeline::run_one(Queue& queue) {
  const Work work = queue.work.front();
  if (work.kind == Work::Kind::copy && is_faulty(queue.device) && hang_copy_in >= 0)
    stuck = hang_copy_in-- == 0;
  if (is_stuck(queue.device)) return;
  queue.now_ns = start_ns(queue);
  queue.work.pop_front();
  if (work.kind == Work::Kind::gate) {
    --gates_waiting_;
    if (work.gate->open == 0) work.gate->gave_up = 1;
    work.gate->passed = 1;
  } else if (work.kind == Work::Kind::call) {
    work.call();
  } else if (work.kind == Work::Kind::record) {
    auto& mark = events_.at(work.event);
    mark.at_ns = queue.now_ns;
    ++mark.reached;
  } else if (work.kind == Work::Kind::copy) {
    queue.now_ns += copy_time_ns(work);
    link_free_ns(work) = queue.now_ns;
    std::memcpy(work.to, work.from, work.bytes);
    if (is_faulty(queue.device) && broken_byte < work.bytes)
      static_cast<std::byte*>(work.to)[broken_byte] ^= std::byte{0xff};
  }
}

// What starts first runs first, whatever its queue.
void FakeTimeline::run() {
  for (;;) {
    Queue* next = nullptr;
    for (auto& [_, queue] : streams_)
      if (can_run(queue) && (next == nullptr || start_ns(queue) < start_ns(*next))) next = &queue;
    if (next == nullptr) return;
    run_one(*next);
  }
}

// A queue whose head can run does so at once, as on a GPU.
void FakeTimeline::enqueue(cudaStream_t stream, Work work) {
  clock_.now_ns_ += kEnqueueNs;
  work.enqueued_ns = static_cast<double>(clock_.now_ns_);
  streams_.at(stream).work.push_back(work);
  run();
}

const CudaApi& fake_timeline_cuda() {
  static const CudaApi kApi = [] {
    CudaApi api = fake_cuda();
    api.malloc = FakeCalls::allocate;
    api.free = FakeCalls::release;
    api.host_alloc = FakeCalls::allocate_host;
    api.free_host = FakeCalls::release;
    api.memcpy_async = [](void* to, const void* from, std::size_t bytes, cudaMemcpyKind,
                          cudaStream_t stream) { return FakeCalls::copy(to, from, bytes, stream); };
    api.stream_create_with_flags = FakeCalls::create_stream;
    api.stream_destroy = FakeCalls::destroy_stream;
    api.stream_query = FakeCalls::query_stream;
    api.stream_wait_event = FakeCalls::wait;
    api.event_create_with_flags = FakeCalls::create_event;
    api.event_destroy = FakeCalls::destroy_event;
    api.event_record = FakeCalls::record;
    api.event_elapsed_time = FakeCalls::elapsed;
    api.device_can_access_peer = FakeCalls::can_access;
    api.device_enable_peer_access = [](int, unsigned) { return cudaErrorPeerAccessAlreadyEnabled; };
    return api;
  }();
  return kApi;
}

const CopyKernels& fake_timeline_kernels() {
  static constexpr CopyKernels kKernels{.wait_at_gate = FakeCalls::gate,
                                        .copy = [](void* to, const void* from, std::size_t bytes,
                                                   unsigned blocks, cudaStream_t stream) {
                                          return blocks == 0 || bytes % 16 != 0
                                                     ? cudaErrorInvalidConfiguration
                                                     : FakeCalls::copy(to, from, bytes, stream);
                                        }};
  return kKernels;
}

const Kernels& fake_timeline_fills() {
  static constexpr Kernels kKernels{
      .fill =
          [](void* memory, std::size_t count, const Content& content, cudaStream_t stream) {
            return FakeCalls::call(
                stream, [=] { (void)kernels_on_host().fill(memory, count, content, stream); });
          },
      .count_wrong =
          [](const void* memory, std::size_t count, const Content& content, WrongCount* sum,
             cudaStream_t stream) {
            return FakeCalls::call(stream, [=] {
              (void)kernels_on_host().count_wrong(memory, count, content, sum, stream);
            });
          }};
  return kKernels;
}

}  // namespace linerate::cuda
