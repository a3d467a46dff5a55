// Threads that each copy a stream of their own, past the caches.
#include "base/clock.h"
#include "base/error.h"
#include "base/stream_copy.h"
#include "devices/cpu/cpu_device.h"
#include "pattern/pattern.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <thread>

namespace linerate {
namespace {

// body(index) on `count` threads at once. Where one cannot be started, `give_up` is called before
// the others are waited for. REQUIRES: body does not throw.
template <typename Body, typename GiveUp = decltype([] {})>
void in_threads(std::size_t count, const Body& body, const GiveUp& give_up = {}) {
  std::vector<std::jthread> threads;
  threads.reserve(count);
  try {
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  } catch (...) {
    give_up();
    throw;
  }
}

class HostCopyRun final : public CopyRun {
 public:
  HostCopyRun(const Clock& clock, Device& memory, const CopyJob& job) : clock_(clock) {
    for (std::size_t s = 0; s < job.streams.size(); ++s) {
      workers_.push_back({.source = memory.allocate(job.bytes, MemoryKind::host),
                          .target = memory.allocate(job.bytes, MemoryKind::host),
                          .content = copy_content(static_cast<int>(s))});
    }
    in_threads(workers_.size(), [this](std::size_t s) {
      pattern::fill(workers_[s].source.view(), workers_[s].content);
      pattern::fill(workers_[s].target.view(), kCopyPoison);
    });
  }

  // The last thread that comes opens the gate.
  CopyTiming measure(std::span<const std::uint64_t> copies) override {
    std::atomic<std::size_t> missing = workers_.size();
    std::atomic<bool> open = false;
    const auto body = [&](std::size_t s) {
      if (--missing == 0) open = true;
      while (!open) std::this_thread::yield();
      Worker& worker = workers_[s];
      worker.start_ns = clock_.now_ns();
      for (std::uint64_t i = 0; i < copies[s]; ++i)
        stream_copy(worker.target.data(), worker.source.data(), worker.source.bytes());
      end_streaming();
      worker.end_ns = clock_.now_ns();
    };
    in_threads(workers_.size(), body, [&] { open = true; });
    const auto us = [](std::int64_t ns) { return static_cast<double>(ns) / kNsPerUs; };
    const auto start_ns = std::ranges::min_element(workers_, {}, &Worker::start_ns)->start_ns;
    const auto end_ns = std::ranges::max_element(workers_, {}, &Worker::end_ns)->end_ns;
    CopyTiming timing{.interval_us = us(end_ns - start_ns)};
    for (const Worker& worker : workers_)
      timing.stream_us.push_back(us(worker.end_ns - worker.start_ns));
    return timing;
  }

  std::vector<Comparison> verify() override {
    std::vector<Comparison> compared(workers_.size());
    in_threads(workers_.size(), [&](std::size_t s) {
      compared[s] = pattern::count_wrong(workers_[s].target.view(), workers_[s].content);
    });
    return compared;
  }

 private:
  struct Worker {
    Buffer source{}, target{};
    Content content{};
    std::int64_t start_ns = 0, end_ns = 0;
  };

  const Clock& clock_;
  std::vector<Worker> workers_;
};

class HostCopyBench final : public CopyBench {
 public:
  explicit HostCopyBench(const Clock& clock) : clock_(clock), memory_(make_cpu_device(0, clock)) {}

  std::string version() const override { return {}; }
  int gpus() const override { return 0; }
  CopyGpu describe(int) override { throw no_gpu(); }
  std::size_t free_bytes(int) override { throw no_gpu(); }
  bool reach_each_other(int, int) override { throw no_gpu(); }
  std::unique_ptr<CopyRun> prepare(const CopyJob& job) override {
    assert(std::ranges::all_of(
        job.streams, [](const CopyStream& s) { return s.from == kHostEnd && s.to == kHostEnd; }));
    return std::make_unique<HostCopyRun>(clock_, *memory_, job);
  }

 private:
  static Unavailable no_gpu() { return Unavailable("The host's memory is no GPU."); }

  const Clock& clock_;
  std::unique_ptr<Device> memory_;
};

}  // namespace

std::unique_ptr<CopyBench> make_host_copy_bench(const Clock& clock) {
  return std::make_unique<HostCopyBench>(clock);
}

}  // namespace linerate
