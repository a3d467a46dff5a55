// Memory that the processes of one node share: what each thread does, readable also after its
// death.
#pragma once

#include "base/handle.h"
#include "launch/watch/watch.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace linerate {

// What a thread does, as others see it.
struct ThreadStatus {
  std::uint64_t counter = 0;    // stages entered; 0: none yet
  std::int64_t entered_ns = 0;  // CLOCK_MONOTONIC of its node; in an answer: how long ago
  std::uint64_t bytes = 0;
  std::int64_t limit_ns = 0;  // for how long the thread may make no headway; 0: for ever
  std::uint64_t calls = 0;    // begun before the stage; in an inquiry's answer: within it
  std::string what, collective, placement;

  // Without the limit, which is the process' own business.
  static auto members(auto& thread) {
    return std::tie(thread.counter, thread.entered_ns, thread.bytes, thread.calls, thread.what,
                    thread.collective, thread.placement);
  }
};

// "all_reduce, 1048576 bytes, out of place, timed loop"
std::string stage_text(const ThreadStatus& thread);

// Whether the end of a process would be a loss.
enum class Presence : std::uint32_t {
  running,
  left,    // ends as planned: its exit is no loss
  ending,  // ends because of a failure that it knows of: nor is this
};

// One slot for each process of the node, one record for each of its threads. A thread has one
// writer at a time; any thread of any process may read. Movable; unmaps its memory when it goes.
class ControlPage {
 public:
  struct Shape {
    std::size_t nslots = 1;
    std::size_t nthreads = 1;  // of each slot
  };

  ControlPage() = default;
  static ControlPage create(Shape shape);  // throws SystemError
  static ControlPage map(FileDescriptor memory,
                         Shape shape);  // memory from create()'s descriptor()
  // Memory of another job: what its threads do, those of the first process first.
  static std::vector<ThreadStatus> threads_in(FileDescriptor memory);
  ControlPage(ControlPage&& other) noexcept;
  ControlPage& operator=(ControlPage&& other) noexcept;
  ~ControlPage();

  // "/proc/PID/fd/N" is a link to a name that begins so.
  static constexpr std::string_view kName = "/memfd:linerate-watch";

  int descriptor() const { return memory_.get(); }

  void enter(std::size_t slot, std::size_t thread, const Stage& stage);
  // counter is 0 where the thread has not begun, or died in the middle of enter().
  ThreadStatus thread(std::size_t slot, std::size_t thread) const;

  void set_presence(std::size_t slot, Presence presence);
  Presence presence(std::size_t slot) const;

 private:
  struct ThreadRecord;
  ThreadRecord& record(std::size_t slot, std::size_t thread) const;
  ThreadRecord& head(std::size_t slot) const;

  FileDescriptor memory_;
  Shape shape_;
  void* base_ = nullptr;
};

}  // namespace linerate
