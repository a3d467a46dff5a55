#include "devices/cuda/cuda_stream.h"

#include "base/error.h"
#include "comm/stream.h"
#include "devices/cuda/cuda_api.h"
#include "devices/cuda/cuda_error.h"

#include <fmt/format.h>

#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace linerate::cuda {
namespace {

class CudaGraph final : public Graph {
 public:
  // Takes ownership of `graph`. On the device that is current. Throws CudaError.
  CudaGraph(const CudaApi& api, cudaGraph_t graph) : api_(api) {
    const cudaError_t code = api_.graph_instantiate(&exec_, graph, 0);
    (void)api_.graph_destroy(graph);
    check_cuda(api_, code, "cudaGraphInstantiate");
  }

  ~CudaGraph() override { (void)api_.graph_exec_destroy(exec_); }

  CudaGraph(const CudaGraph&) = delete;
  CudaGraph& operator=(const CudaGraph&) = delete;

  // REQUIRES: `stream` is a CudaStream.
  void launch(Stream& stream) override {
    const auto& queue = static_cast<CudaStream&>(stream);
    const cudaError_t code = api_.graph_launch(exec_, queue.get());
    if (code != cudaSuccess) check_cuda(api_, code, on_gpu("cudaGraphLaunch", queue.device()));
  }

 private:
  const CudaApi& api_;
  cudaGraphExec_t exec_ = nullptr;
};

// Events, with timing; the resolution is CUDA's half a microsecond.
class CudaTimingEvents final : public TimingEvents {
 public:
  // Throws CudaError.
  CudaTimingEvents(const CudaApi& api, const CudaStream& stream, std::size_t count)
      : api_(api), stream_(stream) {
    const DeviceGuard guard(api_, stream.device());
    events_.reserve(count);
    for (std::size_t i = 0; i < count; ++i) events_.emplace_back(api_);
  }

  void place(std::size_t index) override {
    const DeviceGuard guard(api_, stream_.device());
    events_[index].record(stream_.get());
  }

  double us_between(std::size_t first, std::size_t last) override {
    return events_[last].us_since(events_[first]);
  }

 private:
  const CudaApi& api_;
  const CudaStream& stream_;
  std::vector<CudaEvent> events_;
};

// An event that was recorded once.
class RecordedEvent final : public Event::State {
 public:
  RecordedEvent(const CudaApi& api, std::shared_ptr<SharedStream> stream)
      : event_(api), stream_(std::move(stream)) {
    event_.record(stream_->get());
  }

  bool done() override {
    if (event_.reached()) return true;
    stream_->throw_if_failed();
    return false;
  }
  void wait(const Deadline& deadline) override {
    while (!done()) {
      if (deadline.passed())
        throw TimeoutError("The event of a GPU's stream did not come in time.");
      sched_yield();
    }
  }
  double us_since(State& start) override {
    return event_.us_since(static_cast<RecordedEvent&>(start).event_);
  }
  const CudaEvent& event() const { return event_; }

 private:
  CudaEvent event_;
  const std::shared_ptr<SharedStream> stream_;
};

}  // namespace

SharedStream::SharedStream(const CudaApi& api, int device, StreamKind kind)
    : api_(api), device_(device) {
  if (kind == StreamKind::null) return;
  check_cuda(api_, api_.stream_create_with_flags(&stream_, cudaStreamNonBlocking),
             on_gpu("cudaStreamCreateWithFlags", device_));
}

// Work that still runs keeps what it needs: CUDA frees the stream when it is done.
SharedStream::~SharedStream() {
  if (stream_ != nullptr) (void)api_.stream_destroy(stream_);
}

void SharedStream::come_before(SharedStream& later) const {
  const DeviceGuard guard(api_, device_);
  CudaEvent event(api_);  // which CUDA keeps until it is passed
  event.record(stream_);
  event.hold(later.stream_);
}

void SharedStream::attend(const std::shared_ptr<Attended>& attended) {
  std::erase_if(attended_, [](const auto& other) { return other.expired(); });
  const bool known =
      std::ranges::any_of(attended_, [&](const auto& other) { return other.lock() == attended; });
  if (!known) attended_.push_back(attended);
}

void SharedStream::throw_if_failed() {
  for (const auto& attended : attended_)
    if (const auto alive = attended.lock()) alive->throw_if_failed();
}

CudaStream::CudaStream(const CudaApi& api, int device, StreamKind kind)
    : api_(api), device_(device), shared_(std::make_shared<SharedStream>(api, device, kind)) {}

// The null stream is that of the current device; the others need no guard, which a wait for several
// GPUs would pay at each turn.
bool CudaStream::idle() {
  std::optional<DeviceGuard> guard;
  if (get() == nullptr) guard.emplace(api_, device_);
  const cudaError_t code = api_.stream_query(get());
  if (code == cudaErrorNotReady) return false;
  if (code != cudaSuccess) check_cuda(api_, code, on_gpu("cudaStreamQuery", device_));
  return true;
}

// Busy, as nccl-tests waits: a sleep would be part of what is measured.
void CudaStream::synchronize(const Deadline& deadline) {
  while (!idle()) {
    check();
    if (deadline.passed())
      throw TimeoutError(fmt::format("The stream of GPU {} was not done in time.", device_));
    sched_yield();
  }
}

Event CudaStream::record() {
  const DeviceGuard guard(api_, device_);
  return Event(std::make_shared<RecordedEvent>(api_, shared_));
}

// Events of other kinds of device are waited for by the calling thread: CUDA knows only its own.
void CudaStream::wait(const Event& event) {
  const auto* const recorded = dynamic_cast<const RecordedEvent*>(event.state().get());
  if (recorded == nullptr) return event.wait(Deadline::never());
  const DeviceGuard guard(api_, device_);
  recorded->event().hold(get());
}

std::unique_ptr<TimingEvents> CudaStream::timing_events(std::size_t count) {
  return std::make_unique<CudaTimingEvents>(api_, *this, count);
}

// Of this thread only: others go on to call CUDA, and NCCL allocates on its first call.
void CudaStream::begin_capture() {
  check_cuda(api_, api_.stream_begin_capture(get(), cudaStreamCaptureModeThreadLocal),
             on_gpu("cudaStreamBeginCapture", device_));
}

std::unique_ptr<Graph> CudaStream::end_capture() {
  const DeviceGuard guard(api_, device_);
  cudaGraph_t graph = nullptr;
  check_cuda(api_, api_.stream_end_capture(get(), &graph), on_gpu("cudaStreamEndCapture", device_));
  return std::make_unique<CudaGraph>(api_, graph);
}

}  // namespace linerate::cuda
