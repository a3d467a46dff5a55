#include "backends/nccl/profiler/entry_points.h"

#include "backends/nccl/nccl_api.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

namespace linerate::nccl::profiler {
namespace {

// The entry points have no argument for it. Never freed: NCCL may end communicators until the
// process does.
std::atomic<CallRecorder*> recorder = nullptr;

// NCCL is C: no exception may get there. Whether `body` came to its end; what it lost is noted by
// `lose`, unless not even the recorder could be made.
template <typename Body>
bool succeeds(void (CallRecorder::*lose)() noexcept, Body body) noexcept {
  try {
    body();
    return true;
  } catch (...) {
    if (auto* const known = recorder.load()) (known->*lose)();
    return false;
  }
}

// A context is the mask that its communicator reads: nothing to free, nothing to dangle. Where it
// fails NCCL goes on without the plugin, so the context is none then.
ncclResult_t init(void** context, int* mask) noexcept {
  if (context == nullptr || mask == nullptr) return ncclInvalidArgument;
  const bool attached =
      succeeds(&CallRecorder::note_lost_communicator, [&] { call_recorder().attach(mask); });
  *context = attached ? mask : nullptr;
  return attached ? ncclSuccess : ncclInternalError;
}

ncclResult_t init_v4(void** context, int* mask, const char*, std::uint64_t, int, int, int,
                     LogFunction) noexcept {
  return init(context, mask);
}

ncclResult_t init_v5(void** context, std::uint64_t, int* mask, const char*, int, int, int,
                     LogFunction) noexcept {
  return init(context, mask);
}

int channels_of(const CollectiveV2&) { return 0; }
int channels_of(const CollectiveV3&) { return 0; }
int channels_of(const CollectiveV4& collective) { return collective.channels; }
int channels_of(const MessageV2&) { return 0; }
int channels_of(const MessageV4& message) { return message.channels; }

template <typename EventVn>
void record(const EventVn& event) {
  if (event.type == kCollective) {
    const auto& what = event.collective;
    call_recorder().record(CollectiveEvent{.rank = event.rank,
                                           .send = what.send,
                                           .recv = what.recv,
                                           .algorithm = what.algorithm,
                                           .protocol = what.protocol,
                                           .channels = channels_of(what)});
  }
  if (event.type == kMessage)
    call_recorder().record(MessageEvent{.rank = event.rank,
                                        .buffer = event.message.buffer,
                                        .channels = channels_of(event.message)});
}

// Only groups get a handle: a call's end is of no interest, and NCCL asks for none then. The call
// itself goes on whatever becomes of its record, so this never fails.
template <typename EventVn>
ncclResult_t start_event(void* context, void** handle, EventVn* event) noexcept {
  if (handle == nullptr || event == nullptr) return ncclSuccess;
  *handle = event->type == kGroup ? context : nullptr;
  (void)succeeds(&CallRecorder::note_lost_event, [&] { record(*event); });
  return ncclSuccess;
}

ncclResult_t stop_event(void*) noexcept { return ncclSuccess; }

ncclResult_t record_event_state(void*, int, void*) noexcept { return ncclSuccess; }

ncclResult_t finalize(void* context) noexcept {
  (void)succeeds(&CallRecorder::note_lost_communicator,
                 [&] { call_recorder().detach(static_cast<int*>(context)); });
  return ncclSuccess;
}

template <typename Table, typename EventVn, typename Init>
constexpr Table table(Init init_vn) {
  return {"linerate", init_vn, start_event<EventVn>, stop_event, record_event_state, finalize};
}

constexpr int kOldestThatTells = NCCL_VERSION(2, 24, 0);
constexpr std::size_t kLongestName = 254;  // src/plugin/plugin_open.cc of 2.26 to 2.30

}  // namespace

CallRecorder& call_recorder() {
  CallRecorder* known = recorder.load();
  if (known != nullptr) return *known;
  auto made = std::make_unique<CallRecorder>();
  if (recorder.compare_exchange_strong(known, made.get())) return *made.release();
  return *known;
}

std::string own_file() {
  Dl_info info{};
  if (dladdr(&ncclProfiler_v5, &info) == 0) return {};
  std::error_code failed;
  const auto file = std::filesystem::canonical(info.dli_fname, failed);
  return failed ? std::string(info.dli_fname) : file.string();
}

std::string offer(int nccl_version, const std::string& file) {
  if (nccl_version < kOldestThatTells)
    return fmt::format("note: algorithms are not recorded: NCCL {} does not tell them, 2.24 does",
                       version_text(nccl_version));
  const char* const given = std::getenv(kPluginVariable);
  const std::string wanted = given == nullptr ? "" : given;
  if (!wanted.empty() && wanted != file)
    return fmt::format(
        "note: algorithms are not recorded: {} is '{}', and NCCL loads one profiler only; unset it "
        "to have them",
        kPluginVariable, wanted);
  if (file.empty())
    return "note: algorithms are not recorded: the file of the nccl module is unknown here";
  if (file.size() > kLongestName)
    return fmt::format(
        "note: algorithms are not recorded: NCCL does not open names as long as '{}'; install "
        "linerate elsewhere to have them",
        file);
  ::setenv(kPluginVariable, file.c_str(), 1);
  return {};
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
