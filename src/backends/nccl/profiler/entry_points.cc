// See entry_points.h.
#include "backends/nccl/profiler/entry_points.h"

#include <atomic>
#include <memory>

namespace linerate::nccl::profiler {
namespace {

// The entry points have no argument for it. Never freed: NCCL may end communicators until the
// process does.
std::atomic<CallRecorder*> recorder = nullptr;

// A context is the mask that its communicator reads: nothing to free, nothing to dangle.
ncclResult_t init(void** context, int* mask) {
  if (context == nullptr || mask == nullptr) return ncclInvalidArgument;
  *context = mask;
  call_recorder().attach(mask);
  return ncclSuccess;
}

ncclResult_t init_v4(void** context, int* mask, const char*, std::uint64_t, int, int, int,
                     LogFunction) {
  return init(context, mask);
}

ncclResult_t init_v5(void** context, std::uint64_t, int* mask, const char*, int, int, int,
                     LogFunction) {
  return init(context, mask);
}

int channels_of(const CollectiveV2&) { return 0; }
int channels_of(const CollectiveV3&) { return 0; }
int channels_of(const CollectiveV4& collective) { return collective.channels; }
int channels_of(const MessageV2&) { return 0; }
int channels_of(const MessageV4& message) { return message.channels; }

// Only groups get a handle: a call's end is of no interest, and NCCL asks for none then.
template <typename EventVn>
ncclResult_t start_event(void* context, void** handle, EventVn* event) {
  if (handle == nullptr || event == nullptr) return ncclSuccess;
  *handle = event->type == kGroup ? context : nullptr;
  if (event->type == kCollective) {
    const auto& what = event->collective;
    call_recorder().record(CollectiveEvent{.rank = event->rank,
                                           .send = what.send,
                                           .recv = what.recv,
                                           .algorithm = what.algorithm,
                                           .protocol = what.protocol,
                                           .channels = channels_of(what)});
  }
  if (event->type == kMessage)
    call_recorder().record(MessageEvent{.rank = event->rank,
                                        .buffer = event->message.buffer,
                                        .channels = channels_of(event->message)});
  return ncclSuccess;
}

ncclResult_t stop_event(void*) { return ncclSuccess; }

ncclResult_t record_event_state(void*, int, void*) { return ncclSuccess; }

ncclResult_t finalize(void* context) {
  call_recorder().detach(static_cast<int*>(context));
  return ncclSuccess;
}

template <typename Table, typename EventVn, typename Init>
constexpr Table table(Init init_vn) {
  return {"linerate", init_vn, start_event<EventVn>, stop_event, record_event_state, finalize};
}

}  // namespace

CallRecorder& call_recorder() {
  CallRecorder* known = recorder.load();
  if (known != nullptr) return *known;
  auto made = std::make_unique<CallRecorder>();
  if (recorder.compare_exchange_strong(known, made.get())) return *made.release();
  return *known;
}

}  // namespace linerate::nccl::profiler

namespace profiler = linerate::nccl::profiler;

constexpr profiler::EntryPointsV2 ncclProfiler_v2 =
    profiler::table<profiler::EntryPointsV2, profiler::EventV2>(profiler::init);
constexpr profiler::EntryPointsV3 ncclProfiler_v3 =
    profiler::table<profiler::EntryPointsV3, profiler::EventV3>(profiler::init);
constexpr profiler::EntryPointsV4 ncclProfiler_v4 =
    profiler::table<profiler::EntryPointsV4, profiler::EventV4>(profiler::init_v4);
constexpr profiler::EntryPointsV5 ncclProfiler_v5 =
    profiler::table<profiler::EntryPointsV5, profiler::EventV5>(profiler::init_v5);
