// Streams, events and copies of fake GPUs on a virtual clock: work runs when it can, not when it is
// enqueued, so that gates, times and bandwidths are exact.
#pragma once

#include "base/clock.h"
#include "devices/cuda/cuda_api.h"
#include "devices/cuda/kernels.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace linerate::cuda {

struct FakeLinks {
  double gbps = 10;         // of each direction between two memories, and of copies within one
  bool full_duplex = true;  // else both directions between two memories share one link
  std::pair<int, int> apart{-2, -2};  // GPUs without access to each other
  double slow_up = 1;                 // factor of the time of copies into the host's memory
  int slow_gpu = -2;                  // copies from and to it take four times as long
};

// One at a time exists; used by one thread. While it exists, fake_timeline_cuda(),
// fake_timeline_kernels() and fake_timeline_fills() work on it. What is left at its end it frees,
// as the driver does behind a process.
class FakeTimeline {
 public:
  explicit FakeTimeline(const FakeLinks& links);
  ~FakeTimeline();
  FakeTimeline(const FakeTimeline&) = delete;
  FakeTimeline& operator=(const FakeTimeline&) = delete;

  // Advances with every call that enqueues, and with every look at it.
  const Clock& clock() const { return clock_; }

  // Faults, from now on: of one GPU, or of all where it is negative.
  int faulty_gpu = -1;
  std::int64_t fail_copy_in = -1;      // copies that succeed before one that cannot be enqueued
  std::int64_t hang_copy_in = -1;      // copies that run before nothing does any more
  std::size_t broken_byte = SIZE_MAX;  // of every copy: its bits arrive flipped
  bool stuck = false;                  // nothing runs any more
  double limit_s = -1;                 // of gates; negative: as they were asked for
  // Whether what waits for a GPU that is stuck waits for ever, as CUDA does: else it is counted.
  bool waits_for_ever = false;

  // What a test looks at.
  int endless_waits() const { return endless_waits_; }  // calls that free, on a GPU that is stuck
  int open_gates() const { return gates_waiting_; }     // that still wait
  std::size_t pending() const;                          // enqueued and not run
  std::size_t streams() const { return streams_.size(); }
  std::size_t events() const { return events_.size(); }

 private:
  friend struct FakeCalls;

  struct Work {
    enum class Kind { copy, gate, record, wait, call } kind{};
    void* to = nullptr;
    const void* from = nullptr;
    std::size_t bytes = 0;
    GateFlags* gate = nullptr;
    double limit_ns = 0;
    void* event = nullptr;
    std::uint64_t ticket = 0;      // of the record that is waited for
    std::function<void()> call{};  // what fills and compares; takes no time
    double enqueued_ns = 0;
  };
  struct Queue {
    int device = 0;
    double now_ns = 0;
    std::deque<Work> work{};
  };
  struct Mark {
    int device = 0;
    std::uint64_t asked = 0, reached = 0;  // records enqueued, and run
    double at_ns = 0;
  };
  // Time passes when the host looks at it.
  class HostClock final : public Clock {
   public:
    std::int64_t now_ns() const override { return now_ns_ += 1000; }
    mutable std::int64_t now_ns_ = 0;
  };

  int device_of(const void* memory) const;
  double copy_time_ns(const Work& work) const;
  double& link_free_ns(const Work& work);
  bool can_run(const Queue& queue) const;
  double start_ns(const Queue& queue);
  void run_one(Queue& queue);
  void run();
  void enqueue(cudaStream_t stream, Work work);
  bool is_faulty(int gpu) const { return faulty_gpu < 0 || gpu == faulty_gpu; }
  bool is_stuck(int gpu) const { return stuck && is_faulty(gpu); }
  void wait_for_work();

  FakeLinks links_;
  HostClock clock_;
  int gates_waiting_ = 0;
  int endless_waits_ = 0;
  std::map<void*, Queue> streams_;
  std::map<void*, Mark> events_;
  std::map<std::pair<int, int>, double> free_ns_;  // when a link is free again
  std::map<const std::byte*, std::pair<std::size_t, int>> memory_;
};

const CudaApi& fake_timeline_cuda();
const CopyKernels& fake_timeline_kernels();
const Kernels& fake_timeline_fills();  // kernels_on_host(), when their turn comes

}  // namespace linerate::cuda
