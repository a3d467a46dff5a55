// See copy_run.h.
#include "devices/cuda/copy_run.h"

#include "base/error.h"
#include "devices/cuda/copy_gate.h"
#include "devices/cuda/cuda_error.h"
#include "devices/cuda/cuda_event.h"
#include "devices/cuda/cuda_stream.h"
#include "devices/cuda/device_guard.h"
#include "pattern/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace linerate::cuda {
namespace {

// One stream of copies with its buffers.
struct Lane {
  Lane(const CudaApi& api, const CopyStream& copy_stream)
      : what(copy_stream), stream(api, what.by, StreamKind::own), begin(api), end(api) {}

  CopyStream what;
  Buffer source{}, target{};
  Content content{};
  unsigned blocks = 0;  // of the kernel
  CudaStream stream;
  CudaEvent begin, end;
};

class CudaCopyRun final : public CopyRun {
 public:
  CudaCopyRun(CopyRunInput input, const CopyJob& job);
  ~CudaCopyRun() override { drain(); }

  CopyTiming measure(std::span<const std::uint64_t> copies) override;
  std::vector<Comparison> verify() override;

 private:
  void add_lane(const CopyStream& what, int index, std::size_t bytes);
  unsigned blocks_of(const CopyStream& what, std::span<const CopyStream> streams) const;
  Buffer allocate(int end, int by, std::size_t bytes);
  void fill(int end, View view, const Content& content);
  void prime();
  void start_together();
  void enqueue(std::span<const std::uint64_t> copies);
  void copy(Lane& lane);
  void end_together();
  void wait();
  void drain() noexcept;
  Lane& first() { return *lanes_.front(); }

  CopyRunInput input_;
  double limit_s_;
  bool late_ = false;  // the last wait did not see the end
  std::vector<std::unique_ptr<Lane>> lanes_;
  std::unique_ptr<CopyGate> gate_;
  std::unique_ptr<CudaEvent> finish_;  // on the first lane, when all are done
};

// Opened on every way out, so that nothing waits behind it for longer than the caller enqueues.
class ClosedGate {
 public:
  ClosedGate(CopyGate& gate, const CudaStream& stream) : gate_(gate) { gate_.close(stream.get()); }
  ~ClosedGate() { gate_.open(); }
  ClosedGate(const ClosedGate&) = delete;
  ClosedGate& operator=(const ClosedGate&) = delete;

 private:
  CopyGate& gate_;
};

CudaCopyRun::CudaCopyRun(CopyRunInput input, const CopyJob& job)
    : input_(std::move(input)), limit_s_(job.limit_s) {
  for (const CopyStream& what : job.streams) {
    add_lane(what, static_cast<int>(lanes_.size()), job.bytes);
    lanes_.back()->blocks = blocks_of(what, job.streams);
  }
  prime();
  const DeviceGuard guard(input_.api, first().what.by);
  gate_ = std::make_unique<CopyGate>(input_.api, input_.kernels);
  finish_ = std::make_unique<CudaEvent>(input_.api);
}

// Sources differ between streams: max makes no two ranks' elements alike.
void CudaCopyRun::add_lane(const CopyStream& what, int index, std::size_t bytes) {
  (void)input_.device(what.by);  // its context
  const DeviceGuard guard(input_.api, what.by);
  auto lane = std::make_unique<Lane>(input_.api, what);
  lane->content = {.type = DataType::uint64, .op = RedOp::max, .rank = index, .nranks = index + 1};
  lane->source = allocate(what.from, what.by, bytes);
  lane->target = allocate(what.to, what.by, bytes);
  fill(what.from, lane->source.view(), lane->content);
  lanes_.push_back(std::move(lane));
}

// Kernels that share a GPU are there at the same time.
unsigned CudaCopyRun::blocks_of(const CopyStream& what, std::span<const CopyStream> streams) const {
  const auto sharing = std::ranges::count(streams, what.by, &CopyStream::by);
  const unsigned all = input_.sm_count(what.by) * kCopyBlocksPerSm;
  return std::max(all / static_cast<unsigned>(sharing), 1u);
}

Buffer CudaCopyRun::allocate(int end, int by, std::size_t bytes) {
  if (end == kHostEnd) return input_.device(by).allocate(bytes, MemoryKind::pinned);
  return input_.device(end).allocate(bytes, MemoryKind::device);
}

// The host's memory is filled and compared by the host: it is what a program there would see.
void CudaCopyRun::fill(int end, View view, const Content& content) {
  if (end == kHostEnd)
    pattern::fill(view, content);
  else
    input_.device(end).fill(view, content);
}

// What CUDA does at the first copy of a kind, such as loading the kernel, may wait for all that
// runs on the GPU, and so for the gate: it is done now. Targets are poisoned behind it.
void CudaCopyRun::prime() {
  for (auto& lane : lanes_) copy(*lane);
  wait();
  for (auto& lane : lanes_)
    fill(lane->what.to, lane->target.view(),
         {.kind = Content::Kind::poison, .type = DataType::uint64});
}

// All lanes wait for the first one, which waits at the gate.
void CudaCopyRun::start_together() {
  for (auto& lane : lanes_) {
    const DeviceGuard guard(input_.api, lane->what.by);
    if (lane != lanes_.front()) first().begin.hold(lane->stream.get());
    lane->begin.record(lane->stream.get());
  }
}

// In turns, so that no lane is behind the others where they share a queue.
void CudaCopyRun::enqueue(std::span<const std::uint64_t> copies) {
  const std::uint64_t most = std::ranges::max(copies);
  for (std::uint64_t round = 0; round < most; ++round)
    for (std::size_t i = 0; i < lanes_.size(); ++i)
      if (round < copies[i]) copy(*lanes_[i]);
}

void CudaCopyRun::copy(Lane& lane) {
  const DeviceGuard guard(input_.api, lane.what.by);
  void* const to = lane.target.data();
  const void* const from = lane.source.data();
  const std::size_t bytes = lane.source.bytes();
  if (lane.what.engine == CopyEngine::ce)
    check_cuda(input_.api,
               input_.api.memcpy_async(to, from, bytes, cudaMemcpyDefault, lane.stream.get()),
               "cudaMemcpyAsync");
  else
    check_cuda(input_.api, input_.kernels.copy(to, from, bytes, lane.blocks, lane.stream.get()),
               "the copy kernel");
}

// The end of all is a point of the first lane: times of two devices have no common zero.
void CudaCopyRun::end_together() {
  for (auto& lane : lanes_) {
    const DeviceGuard guard(input_.api, lane->what.by);
    lane->end.record(lane->stream.get());
    if (lane != lanes_.front()) lane->end.hold(first().stream.get());
  }
  const DeviceGuard guard(input_.api, first().what.by);
  finish_->record(first().stream.get());
}

void CudaCopyRun::wait() {
  const auto deadline = Deadline::after(input_.clock, limit_s_);
  late_ = true;
  for (auto& lane : lanes_) lane->stream.synchronize(deadline);
  late_ = false;
}

// Buffers and gate must outlive what was enqueued, also where enqueueing failed.
void CudaCopyRun::drain() noexcept {
  try {
    if (!late_) wait();
  } catch (const std::exception&) {
    // The failure that led here was reported; the device is lost.
  }
}

CopyTiming CudaCopyRun::measure(std::span<const std::uint64_t> copies) {
  {
    const DeviceGuard guard(input_.api, first().what.by);
    const ClosedGate closed(*gate_, first().stream);
    start_together();
    enqueue(copies);
    end_together();
  }
  wait();
  if (gate_->gave_up())
    throw TimeoutError(
        fmt::format("Enqueueing the copies of one sample took more than {} s, so that GPU {} did "
                    "not wait for the end of it: unset CUDA_LAUNCH_BLOCKING, and leave out "
                    "debuggers and profilers.",
                    CopyGate::kGateLimitS, first().what.by));
  CopyTiming timing{.interval_us = finish_->us_since(first().begin)};
  for (const auto& lane : lanes_) timing.stream_us.push_back(lane->end.us_since(lane->begin));
  return timing;
}

std::vector<Comparison> CudaCopyRun::verify() {
  std::vector<Comparison> compared;
  for (const auto& lane : lanes_) {
    const ConstView got = lane->target.view();
    compared.push_back(lane->what.to == kHostEnd
                           ? pattern::count_wrong(got, lane->content)
                           : input_.device(lane->what.to).count_wrong(got, lane->content));
  }
  return compared;
}

}  // namespace

std::unique_ptr<CopyRun> make_copy_run(const CopyRunInput& input, const CopyJob& job) {
  return std::make_unique<CudaCopyRun>(input, job);
}

}  // namespace linerate::cuda
