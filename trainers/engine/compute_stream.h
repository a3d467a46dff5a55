// The stream that a trainer computes on: what it worked on, and when it waited for others.
#pragma once

#include "comm/stream.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace linerate::trainers {

// Nanoseconds of a clock, [first, last).
using TimeSpan = std::pair<std::int64_t, std::int64_t>;

enum class Work : std::uint8_t { data, forward, backward, loss, norm, optimizer, sleep };

// What work on the compute stream is for.
struct WorkTag {
  Work work = Work::data;
  std::uint32_t unit = 0;         // of forward and backward
  std::uint32_t micro_batch = 0;  // likewise, and of data: counted over the global batch
  std::uint32_t operation = 0;    // likewise: its place in the stage's list
};

// Work between two points of the stream.
struct RecordedWork {
  WorkTag what{};
  Event start{}, end{};
};

struct RecordedWait {
  Event start{}, awaited{}, end{};
};

// Forwards all work to another stream. Used as that one is.
class ComputeStream final : public Stream {
 public:
  // `inner` outlives it.
  explicit ComputeStream(Stream& inner) : Stream(inner.queue()), inner_(inner) {}

  void synchronize(const Deadline& deadline) override { inner_.synchronize(deadline); }
  bool idle() override { return inner_.idle(); }
  void check() override { inner_.check(); }
  Event record() override { return inner_.record(); }
  void wait(const Event& event) override {
    auto start = inner_.record();
    inner_.wait(event);
    waits_.push_back({.start = std::move(start), .awaited = event, .end = inner_.record()});
  }

  // What `enqueue` enqueues is for `what`, waits included. Not within another call.
  template <typename Enqueue>
  void on(const WorkTag& what, const Enqueue& enqueue) {
    auto start = inner_.record();
    enqueue();
    work_.push_back({.what = what, .start = std::move(start), .end = inner_.record()});
  }

  // Since they were taken last, in their order.
  std::vector<RecordedWait> take_waits() { return std::exchange(waits_, {}); }
  std::vector<RecordedWork> take_work() { return std::exchange(work_, {}); }

 private:
  Stream& inner_;
  std::vector<RecordedWait> waits_;
  std::vector<RecordedWork> work_;
};

}  // namespace linerate::trainers
