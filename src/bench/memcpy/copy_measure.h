// One measurement, repeated: copies of each stream, times of the whole, and whether the data is
// right.
#pragma once

#include "bench/memcpy/copy_plan.h"
#include "stats/summary.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace linerate {

struct CopyRepeat {
  std::size_t bytes = 0;  // of each copy
  std::uint64_t iters = 16;
  std::uint64_t warmup_iters = 1;
  bool check = true;
  double limit_s = 60;  // longest time of one sample
};

// What a measurement does next: the buffers, one sample (warm-up is one, too), the check.
enum class CopyStage : std::uint8_t { preparation, sample, comparison };

struct CopyFigure {
  std::uint64_t rounds = 0;             // copies of the slowest stream in a sample, at least
  std::vector<std::uint64_t> copies{};  // of each stream in a sample
  stats::Summary interval_us{};         // first start to last end, over the samples
  std::vector<double> stream_us{};      // of each stream, start to end: median
  std::vector<Comparison> compared{};   // of each stream; empty: not checked

  // Largest minus smallest interval, as a part of the median.
  double spread() const;
  // The part of the interval for which the stream that ended first was busy.
  double overlap() const;
};

// Copies of each stream in one sample, before balancing: so many that a sample moves a few hundred
// MiB, and few enough that those of all streams fit into one queue while the gate is closed.
std::uint64_t rounds_for(std::size_t bytes, std::span<const CopyStream> streams);

// The warm-up also tells how fast each stream is: the faster ones then make more copies, up to four
// times as many, so that all of them are busy to the end of the interval. `begins`, which may be
// empty, is told of each stage, outside what is timed. Nothing where `interrupted`, which is asked
// before each sample, said so.
std::optional<CopyFigure> measure_copies(CopyBench& bench, const CopyMeasurement& what,
                                         const CopyRepeat& repeat,
                                         const std::function<void(CopyStage)>& begins,
                                         const std::function<bool()>& interrupted);

}  // namespace linerate
