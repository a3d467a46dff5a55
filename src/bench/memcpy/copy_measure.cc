// See copy_measure.h.
#include "bench/memcpy/copy_measure.h"

#include <algorithm>
#include <cmath>

namespace linerate {
namespace {

constexpr std::size_t kSampleBytes = std::size_t{256} << 20;
constexpr std::uint64_t kLeastRounds = 4;  // below it, copies could not be balanced
constexpr std::uint64_t kMostRounds =
    32;  // with kMostBalance a stream's queue, of 1024, holds them
constexpr std::uint64_t kMostBalance = 4;

std::vector<std::uint64_t> balanced(const CopyTiming& timing, std::uint64_t rounds) {
  const double slowest_us = std::ranges::max(timing.stream_us);
  std::vector<std::uint64_t> copies;
  for (const double us : timing.stream_us) {
    const double wanted = us > 0 ? std::round(static_cast<double>(rounds) * slowest_us / us) : 0;
    const double most = static_cast<double>(rounds * kMostBalance);
    copies.push_back(
        static_cast<std::uint64_t>(std::clamp(wanted, static_cast<double>(rounds), most)));
  }
  return copies;
}

double median(std::vector<double>& values) { return stats::summarize(values).median; }

}  // namespace

double CopyFigure::spread() const {
  return interval_us.median > 0 ? (interval_us.max - interval_us.min) / interval_us.median : 0;
}

double CopyFigure::overlap() const {
  if (interval_us.median <= 0) return 1;
  return std::min(std::ranges::min(stream_us) / interval_us.median, 1.0);
}

std::uint64_t rounds_for(std::size_t bytes) {
  return std::clamp<std::uint64_t>(kSampleBytes / bytes, kLeastRounds, kMostRounds);
}

CopyFigure measure_copies(CopyBench& bench, const CopyMeasurement& what, const CopyRepeat& repeat) {
  const auto run =
      bench.prepare({.streams = what.streams, .bytes = repeat.bytes, .limit_s = repeat.limit_s});
  CopyFigure figure{.rounds = rounds_for(repeat.bytes)};
  figure.copies.assign(what.streams.size(), figure.rounds);
  for (std::uint64_t i = 0; i < repeat.warmup_iters; ++i) {
    const auto timing = run->measure(std::vector(what.streams.size(), figure.rounds));
    figure.copies = balanced(timing, figure.rounds);
  }
  std::vector<double> intervals_us;
  std::vector<std::vector<double>> streams_us(what.streams.size());
  for (std::uint64_t i = 0; i < repeat.iters; ++i) {
    const auto timing = run->measure(figure.copies);
    intervals_us.push_back(timing.interval_us);
    for (std::size_t s = 0; s < streams_us.size(); ++s)
      streams_us[s].push_back(timing.stream_us[s]);
  }
  figure.interval_us = stats::summarize(intervals_us);
  for (auto& us : streams_us) figure.stream_us.push_back(median(us));
  if (repeat.check) figure.compared = run->verify();
  return figure;
}

}  // namespace linerate
