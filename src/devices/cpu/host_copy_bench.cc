// See host_copy_bench.h.
#include "devices/cpu/host_copy_bench.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/stream_copy.h"
#include "devices/cpu/cpu_device.h"
#include "devices/cpu/free_memory.h"
#include "pattern/pattern.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <thread>

namespace linerate {
namespace {

// body(index) on `count` threads at once. Where one cannot be started, `give_up` is called before
// the others are waited for. REQUIRES: body does not throw.
template <typename Body, typename GiveUp>
void in_threads(std::size_t count, const Body& body, const GiveUp& give_up) {
  std::vector<std::jthread> threads;
  threads.reserve(count);
  try {
    for (std::size_t i = 0; i < count; ++i) threads.emplace_back([&body, i] { body(i); });
  } catch (...) {
    give_up();
    throw;
  }
}
template <typename Body>
void in_threads(std::size_t count, const Body& body) {
  in_threads(count, body, [] {});
}

class HostCopyRun final : public CopyRun {
 public:
  HostCopyRun(const Clock& clock, Device& memory, const CopyJob& job) : clock_(clock) {
    for (std::size_t s = 0; s < job.streams.size(); ++s) {
      lanes_.push_back({.source = memory.allocate(job.bytes, MemoryKind::host),
                        .target = memory.allocate(job.bytes, MemoryKind::host),
                        .content = copy_content(static_cast<int>(s))});
    }
    in_threads(lanes_.size(), [this](std::size_t s) {
      pattern::fill(lanes_[s].source.view(), lanes_[s].content);
      pattern::fill(lanes_[s].target.view(), kCopyPoison);
    });
  }

  CopyTiming measure(std::span<const std::uint64_t> copies) override;
  std::vector<Comparison> verify() override;

 private:
  struct Lane {
    Buffer source{}, target{};
    Content content{};
    std::int64_t start_ns = 0, end_ns = 0;
  };

  const Clock& clock_;
  std::vector<Lane> lanes_;
};

// The last thread that comes opens the gate.
CopyTiming HostCopyRun::measure(std::span<const std::uint64_t> copies) {
  std::atomic<std::size_t> missing = lanes_.size();
  std::atomic<bool> open = false;
  const auto body = [&](std::size_t s) {
    if (--missing == 0) open = true;
    while (!open) std::this_thread::yield();
    Lane& lane = lanes_[s];
    lane.start_ns = clock_.now_ns();
    for (std::uint64_t i = 0; i < copies[s]; ++i)
      stream_copy(lane.target.data(), lane.source.data(), lane.source.bytes());
    end_streaming();
    lane.end_ns = clock_.now_ns();
  };
  in_threads(lanes_.size(), body, [&] { open = true; });
  const auto us = [](std::int64_t ns) { return static_cast<double>(ns) / kNsPerUs; };
  const auto start_ns = std::ranges::min_element(lanes_, {}, &Lane::start_ns)->start_ns;
  const auto end_ns = std::ranges::max_element(lanes_, {}, &Lane::end_ns)->end_ns;
  CopyTiming timing{.interval_us = us(end_ns - start_ns)};
  for (const Lane& lane : lanes_) timing.stream_us.push_back(us(lane.end_ns - lane.start_ns));
  return timing;
}

std::vector<Comparison> HostCopyRun::verify() {
  std::vector<Comparison> compared(lanes_.size());
  in_threads(lanes_.size(), [&](std::size_t s) {
    compared[s] = pattern::count_wrong(lanes_[s].target.view(), lanes_[s].content);
  });
  return compared;
}

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
