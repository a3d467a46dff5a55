#include "bench/memcpy/copy_measure.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace linerate {
namespace {

constexpr std::size_t kSampleBytes = std::size_t{256} << 20;
constexpr std::uint64_t kMinRounds = 4;  // below it, copies could not be balanced
constexpr std::uint64_t kMaxRounds = 32;
constexpr std::uint64_t kMaxBalance = 4;

// Copies behind the closed gate of a GPU, over all of its streams. Who enqueues more than a queue
// takes is blocked, and would never open the gate. NVIDIA documents no number: users saw a stream
// take about 1000 kernels (forums.developer.nvidia.com, thread 68937; not measured here), and
// streams may share a queue (CUDA_DEVICE_MAX_CONNECTIONS). Half of that leaves room for the events,
// and for copies that are more than one piece of work.
constexpr std::uint64_t kMaxQueued = 512;

// Streams of the GPU that makes the most of them; 1 where the host copies, which queues nothing.
std::uint64_t streams_on_one_gpu(std::span<const CopyStream> streams) {
  std::map<int, std::uint64_t> by;
  for (const CopyStream& stream : streams)
    if (stream.by != kHostEnd) ++by[stream.by];
  std::uint64_t most = 1;
  for (const auto& [_, count] : by) most = std::max(most, count);
  return most;
}

// The faster a stream is, the more copies it makes, in the time of `rounds` of the slowest one.
std::vector<std::uint64_t> balanced(const CopyTiming& timing, std::uint64_t rounds) {
  const double slowest_us = std::ranges::max(timing.stream_us);
  std::vector<std::uint64_t> copies;
  for (const double us : timing.stream_us) {
    const double wanted = us > 0 ? std::round(static_cast<double>(rounds) * slowest_us / us) : 0;
    const double most = static_cast<double>(rounds * kMaxBalance);
    copies.push_back(
        static_cast<std::uint64_t>(std::clamp(wanted, static_cast<double>(rounds), most)));
  }
  return copies;
}

}  // namespace

double CopyFigure::spread() const {
  return interval_us.median > 0 ? (interval_us.max - interval_us.min) / interval_us.median : 0;
}

double CopyFigure::overlap() const {
  if (interval_us.median <= 0) return 1;
  return std::min(std::ranges::min(stream_us) / interval_us.median, 1.0);
}

std::uint64_t rounds_for(std::size_t bytes, std::span<const CopyStream> streams) {
  const auto wanted = std::clamp<std::uint64_t>(kSampleBytes / bytes, kMinRounds, kMaxRounds);
  const auto queued = kMaxQueued / (streams_on_one_gpu(streams) * kMaxBalance);
  return std::max<std::uint64_t>(std::min(wanted, queued), 1);
}

std::optional<CopyFigure> measure_copies(CopyBench& bench, const CopyMeasurement& what,
                                         const CopyRepeat& repeat,
                                         const std::function<void(CopyStage)>& begins,
                                         const std::function<bool()>& interrupted) {
  const auto tell = [&](CopyStage stage) {
    if (begins) begins(stage);
  };
  tell(CopyStage::preparation);
  const auto run =
      bench.prepare({.streams = what.streams, .bytes = repeat.bytes, .limit_s = repeat.limit_s});
  CopyFigure figure{.rounds = rounds_for(repeat.bytes, what.streams)};
  figure.copies.assign(what.streams.size(), figure.rounds);
  for (std::uint64_t i = 0; i < repeat.warmup_iters; ++i) {
    if (interrupted()) return {};
    tell(CopyStage::sample);
    const auto timing = run->measure(std::vector(what.streams.size(), figure.rounds));
    figure.copies = balanced(timing, figure.rounds);
  }
  std::vector<double> intervals_us;
  std::vector<std::vector<double>> streams_us(what.streams.size());
  for (std::uint64_t i = 0; i < repeat.iters; ++i) {
    if (interrupted()) return {};
    tell(CopyStage::sample);
    const auto timing = run->measure(figure.copies);
    intervals_us.push_back(timing.interval_us);
    for (std::size_t s = 0; s < streams_us.size(); ++s)
      streams_us[s].push_back(timing.stream_us[s]);
  }
  tell(CopyStage::comparison);
  figure.interval_us = stats::summarize(intervals_us);
  for (auto& us : streams_us) figure.stream_us.push_back(stats::median(us));
  if (repeat.check) figure.compared = run->verify();
  return figure;
}

}  // namespace linerate
