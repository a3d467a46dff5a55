// What NCCL's events say of calls that somebody observes.
#pragma once

#include "comm/buffer.h"
#include "comm/op.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>

namespace linerate::nccl::profiler {

class Observation;

// Events of either kind, as far as all versions of the interface have them.
struct CollectiveEvent {
  int rank = 0;
  const void* send = nullptr;
  const void* recv = nullptr;
  const char* algorithm = nullptr;
  const char* protocol = nullptr;
  int channels = 0;  // 0: unknown
};
struct MessageEvent {
  int rank = 0;
  const void* buffer = nullptr;
  int channels = 0;  // 0: unknown
};

// Passes events on to the observations that they belong to. Any thread: NCCL's events come from the
// calling thread, or from one of CUDA's. While nobody observes, NCCL is asked for no event.
class CallRecorder {
 public:
  // A communicator more, or less, looks at `mask` for what it shall report.
  void attach(int* mask);
  void detach(int* mask);  // unknown ones are passed over

  void record(const CollectiveEvent& event);
  void record(const MessageEvent& event);

  // An event, or all those of a communicator, could not be recorded: observations say so, the
  // latter until the last communicator has ended.
  void note_lost_event() noexcept { ++lost_events_; }
  void note_lost_communicator() noexcept { lost_communicator_ = true; }

 private:
  friend class Observation;
  void add(Observation& observation);
  void remove(Observation& observation);
  void set_masks();

  std::atomic<std::uint64_t> lost_events_ = 0;
  std::atomic<bool> lost_communicator_ = false;
  std::mutex mutex_;
  std::map<int*, int> masks_;  // of the loaded NCCL, with the number of its communicators
  std::set<Observation*> observations_;
};

// One rank's calls are looked at while this lives. An event belongs to the rank whose number it
// carries and whose buffers it names: these are told in every version of the interface, and no two
// ranks of a process share any, unlike numbers (groups) and threads (several GPUs).
class Observation {
 public:
  // `recorder` outlives this.
  Observation(CallRecorder& recorder, int rank);
  ~Observation();
  Observation(const Observation&) = delete;
  Observation& operator=(const Observation&) = delete;

  // The buffers of the call that comes next; what was told of the last one is forgotten.
  void expect(ConstView send, ConstView recv);

  // A call of sends and receives is "p2p", on the most channels that one of them has. Empty while
  // NCCL has told nothing, as of one rank alone, and of copies and kernels over symmetric memory;
  // `lost` where what it told could not be recorded.
  CallFacts facts() const;

 private:
  friend class CallRecorder;

  CallRecorder& recorder_;
  const int rank_;
  ConstView send_, recv_;  // under the recorder's mutex, as all that follows
  CallFacts facts_;
  std::uint64_t lost_before_ = 0;  // the recorder's, when the call was expected
};

}  // namespace linerate::nccl::profiler
