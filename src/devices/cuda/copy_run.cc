#include "devices/cuda/copy_run.h"

#include "devices/cuda/copy_queue.h"
#include "devices/cuda/near_gpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

namespace linerate::cuda {
namespace {

// On every way out, so that nothing waits behind the gate for longer than the caller enqueues.
class OpenAtEnd {
 public:
  explicit OpenAtEnd(CopyGate& gate) : gate_(gate) {}
  ~OpenAtEnd() { gate_.open(); }
  OpenAtEnd(const OpenAtEnd&) = delete;
  OpenAtEnd& operator=(const OpenAtEnd&) = delete;

 private:
  CopyGate& gate_;
};

class CudaCopyRun final : public CopyRun {
 public:
  CudaCopyRun(CopyRunInput input, double limit_s) : input_(std::move(input)), limit_s_(limit_s) {}
  ~CudaCopyRun() override { drain(); }

  // Called once, before the others: what it throws, the destructor cleans up behind.
  void prepare(const CopyJob& job) {
    for (const CopyStream& what : job.streams) add_queue(job, what);
    prime();
    with_gpu(input_.api, first().gpu(), [&] {
      gate_ = std::make_unique<CopyGate>(input_.api, input_.kernels);
      finish_ = std::make_unique<CudaEvent>(input_.api);
    });
  }

  CopyTiming measure(std::span<const std::uint64_t> copies) override {
    {
      const OpenAtEnd opened(*gate_);
      close_gate();
      enqueue(copies);
      finish();
    }
    wait();
    if (gate_->gave_up())
      throw TimeoutError(
          fmt::format("Enqueueing the copies of one sample took more than {} s, so that GPU {} did "
                      "not wait for the end of it: unset CUDA_LAUNCH_BLOCKING, and leave out "
                      "debuggers and profilers.",
                      CopyGate::kGateLimitS, first().gpu()));
    CopyTiming timing{.interval_us = finish_->us_since(first().began())};
    for (const auto& queue : queues_) timing.stream_us.push_back(queue->busy_us());
    return timing;
  }

  std::vector<Comparison> verify() override {
    std::vector<Comparison> compared;
    for (const auto& queue : queues_) compared.push_back(queue->compare());
    return compared;
  }

 private:
  void add_queue(const CopyJob& job, const CopyStream& what) {
    const auto bus_id = input_.device(what.by).bus_id();  // its context is there now
    const NearGpu near(bus_id, input_.pci_devices);
    const CopyQueue::Plan plan{.what = what,
                               .content = copy_content(static_cast<int>(queues_.size())),
                               .bytes = job.bytes,
                               .blocks = blocks_of(what, job.streams)};
    with_gpu(input_.api, what.by,
             [&] { queues_.push_back(std::make_unique<CopyQueue>(input_, plan)); });
  }

  // Kernels that share a GPU are there at the same time.
  unsigned blocks_of(const CopyStream& what, std::span<const CopyStream> streams) const {
    const auto sharing = std::ranges::count(streams, what.by, &CopyStream::by);
    const unsigned all = input_.sm_count(what.by) * kCopyBlocksPerSm;
    return std::max(all / static_cast<unsigned>(sharing), 1u);
  }

  // What CUDA does at the first copy of a kind, such as loading the kernel, may wait for all that
  // runs on the GPU, and so for the gate: it is done now. Targets are poisoned behind it.
  void prime() {
    for (auto& queue : queues_) queue->copy();
    wait();
    for (auto& queue : queues_) queue->poison();
  }

  void close_gate() {
    with_gpu(input_.api, first().gpu(), [&] { gate_->close(first().stream().get()); });
  }

  // All queues wait for the first one, which waits at the gate. Copies are enqueued in turns, so
  // that no queue is behind the others where they share a queue.
  void enqueue(std::span<const std::uint64_t> copies) {
    for (auto& queue : queues_) queue->begin_behind(first());
    const std::uint64_t most = std::ranges::max(copies);
    for (std::uint64_t round = 0; round < most; ++round)
      for (std::size_t i = 0; i < queues_.size(); ++i)
        if (round < copies[i]) queues_[i]->copy();
  }

  // The end of all is a point of the first queue: times of two devices have no common zero.
  void finish() {
    for (auto& queue : queues_) queue->end_before(first());
    with_gpu(input_.api, first().gpu(), [&] { finish_->record(first().stream().get()); });
  }

  void wait() {
    constexpr std::string_view kWhat = "the copies";
    late_ = true;
    try {
      for (auto& queue : queues_)
        with_gpu(input_.api, queue->gpu(), [&] { input_.wait(queue->stream(), kWhat); });
    } catch (const TimeoutError&) {
      throw not_done(late_gpus(), kWhat, limit_s_);
    }
    late_ = false;
  }

  // Whom all wait for: the first queue's GPU where it did not pass the gate; else those whose own
  // copies are not done; else the first, which waits for the others' ends.
  std::string late_gpus() {
    std::set<int> late;
    if (!gate_ || gate_->passed())
      for (std::size_t i = 1; i < queues_.size(); ++i)
        if (!queues_[i]->stream().idle()) late.insert(queues_[i]->gpu());
    if (late.empty()) late.insert(first().gpu());
    return fmt::format("GPU{} {}", late.size() == 1 ? "" : "s", fmt::join(late, ", "));
  }

  // Buffers and gate must outlive what was enqueued, also where enqueueing failed.
  void drain() noexcept {
    try {
      if (!late_) wait();
    } catch (const std::exception&) {
      // The failure that led here was reported; the device is lost.
    }
  }

  CopyQueue& first() { return *queues_.front(); }

  const CopyRunInput input_;
  const double limit_s_;
  bool late_ = false;  // the last wait did not see the end
  std::vector<std::unique_ptr<CopyQueue>> queues_;
  std::unique_ptr<CopyGate> gate_;
  std::unique_ptr<CudaEvent> finish_;  // on the first queue, when all are done
};

}  // namespace

TimeoutError not_done(std::string_view gpus, std::string_view what, double limit_s) {
  return TimeoutError(fmt::format(
      "{} did not end {} within {} s (-T): see the kernel's log (dmesg) for Xid errors and "
      "nvidia-smi for other work there, or give a larger -T.",
      gpus, what, limit_s));
}

std::unique_ptr<CopyRun> make_copy_run(const CopyRunInput& input, const CopyJob& job) {
  auto run = std::make_unique<CudaCopyRun>(input, job.limit_s);
  run->prepare(job);
  return run;
}

}  // namespace linerate::cuda
