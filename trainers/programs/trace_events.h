// What a rank did in a step, as events of Chrome's Trace Event Format: text, and nothing else.
//
// A rank is a process, named "rank 0"; its streams are threads: "steps", "compute", and one for the
// calls of each axis. All events are complete ones (ph X), which nest on a thread. Times are
// microseconds with three decimals. Perfetto takes process and thread numbers from 1 on, because 0
// is the kernel's idle process to it.
#pragma once

#include "trainers/engine/recorder.h"
#include "trainers/engine/trainer.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// What a file of events begins and ends with. Between events stands kBetweenEvents.
std::string trace_head(std::string_view other_data);  // an object of JSON
inline constexpr std::string_view kBetweenEvents = ",\n";
inline constexpr std::string_view kTraceTail = "\n]}\n";

// Of one rank. Used by its thread.
class TraceEvents {
 public:
  // `units`: the names of the model's units.
  TraceEvents(int rank, std::string hostname, std::vector<std::string> units);

  // The events of a step, with the names of what is new; `origin_ns` of the common clock is time 0.
  std::string of(const trainers::StepResult& result, const trainers::StepSpans& spans,
                 std::int64_t origin_ns);

 private:
  class Writer;

  // The number of the thread of a stream of calls. Names it, where it is new.
  int thread_of(std::string_view stream, Writer& to);
  void put_call(const trainers::CallSpan& call, std::int64_t step, Writer& to);

  const int rank_;
  const std::string hostname_;
  const std::vector<std::string> units_;
  std::vector<std::string> streams_;  // that have a thread
  bool named_ = false;                // the process and its first threads
};

}  // namespace linerate
