#include "topo/model/predict.h"

#include "base/units.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <utility>

namespace linerate::topo {
namespace {

bool reduces(Function function) {
  return function == Function::all_reduce || function == Function::reduce_scatter ||
         function == Function::reduce;
}

// avg multiplies floats before and divides integers behind the sum; mulsum multiplies before.
bool scales(RedOp op) { return op == RedOp::avg || op == RedOp::mulsum; }

bool switches_reduce(const Reduced& what) {
  const bool compares = what.op == RedOp::min || what.op == RedOp::max;
  switch (what.type) {
    case DataType::int32:
    case DataType::uint32:
    case DataType::int64:
    case DataType::uint64:
    case DataType::float16:
    case DataType::bfloat16:
      return what.op == RedOp::sum || compares;
    case DataType::float32:
    case DataType::float64:
      return what.op == RedOp::sum;
    case DataType::int8:
    case DataType::uint8:
    case DataType::f8e4m3:
    case DataType::f8e5m2:
      return false;
  }
  __builtin_unreachable();
}

}  // namespace

bool can_reduce(const Scheme& scheme, const Reduced& what) {
  if (!reduces(scheme.function)) return true;
  if (is_nvls(scheme.algorithm)) return switches_reduce(what);
  return scheme.algorithm != Algorithm::pat || !scales(what.op);
}

bool is_avoided(const JobShape& job, const Scheme& scheme, const Reduced& what) {
  constexpr NcclVersion kSince{2, 24, 0};
  constexpr int kMaxRanks = 8;
  const bool narrow = what.type == DataType::f8e4m3 || what.type == DataType::f8e5m2;
  return narrow && reduces(scheme.function) && scheme.algorithm == Algorithm::ring &&
         job.nranks > kMaxRanks && job.version >= kSince;
}

namespace {

// Trees do not keep to the model at middle sizes: a measured factor for each power of two from
// 64 B (src/graph/tuning.cc, treeCorrectionFactor). Above, the last one is not used any more.
constexpr std::array<std::array<double, 23>, kProtocols> kTreeCorrection{{
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9},
}};
constexpr std::size_t kCorrectionUnit = 64;

double tree_correction(Protocol protocol, std::size_t bytes) {
  if (bytes < kCorrectionUnit) return 1;
  const auto power = static_cast<std::size_t>(std::bit_width(bytes / kCorrectionUnit)) - 1;
  const auto& row = kTreeCorrection[index_of(protocol)];
  return power < row.size() ? row[power] : 1;
}

bool corrected(const JobShape& job, const Scheme& scheme) {
  constexpr NcclVersion kNvlsTreeToo{2, 29, 0};
  if (scheme.function != Function::all_reduce) return false;
  if (scheme.algorithm == Algorithm::tree) return true;
  const bool x86 =
      job.cpu == CpuKind::intel || job.cpu == CpuKind::amd || job.cpu == CpuKind::mixed;
  return scheme.algorithm == Algorithm::nvls_tree && job.version >= kNvlsTreeToo &&
         generation_of(job.min_sm) == Generation::blackwell && x86;
}

// Long rings on several nodes stay slower than the model until messages are large.
double plateau(const JobShape& job, const Scheme& scheme, std::size_t bytes) {
  constexpr std::size_t kMinPiece = 64;
  constexpr double kBeforeAmpere = 1.9, kSince = 1.4;
  const bool ring = scheme.function == Function::all_reduce &&
                    scheme.algorithm == Algorithm::ring && scheme.protocol == Protocol::simple &&
                    job.nnodes > 1;
  const auto pieces = static_cast<std::size_t>(open_channels(job.channels, job.version)) *
                      static_cast<std::size_t>(job.nranks);
  if (!ring || pieces == 0 || bytes / pieces < kMinPiece) return 1;
  return generation_of(job.min_sm) < Generation::ampere ? kBeforeAmpere : kSince;
}

}  // namespace

Predictor::Predictor(const JobShape& job) : job_(job), costs_(job) {}

bool Predictor::table_has_a_way(Function function, const Reduced& what) const {
  return std::ranges::any_of(kAllAlgorithms, [&](Algorithm algorithm) {
    return std::ranges::any_of(kAllProtocols, [&](Protocol protocol) {
      const Scheme scheme{function, algorithm, protocol};
      return costs_.of(scheme).usable() && can_reduce(scheme, what);
    });
  });
}

// src/enqueue.cc, topoGetAlgoInfo: lists may leave a function nothing at all, or nothing that can
// do the type and the operator.
const Cost& Predictor::cost(const Scheme& scheme, const Reduced& what) const {
  const Cost& own = costs_.of(scheme);
  const Cost& other = costs_.last_resort(scheme);
  if (own.usable() || !other.usable() || table_has_a_way(scheme.function, what)) return own;
  return other;
}

std::optional<double> Predictor::time_us(const Scheme& scheme, std::size_t bytes,
                                         const Reduced& what) const {
  const auto parts = time_parts(scheme, bytes, what);
  return parts ? std::optional(parts->total_us()) : std::nullopt;
}

std::optional<TimeParts> Predictor::time_parts(const Scheme& scheme, std::size_t bytes,
                                               const Reduced& what) const {
  const Cost& of_scheme = cost(scheme, what);
  if (!of_scheme.usable()) return std::nullopt;
  double algbw = of_scheme.algbw_gbps;
  if (corrected(job_, scheme)) algbw *= tree_correction(scheme.protocol, bytes);
  return TimeParts{.latency_us = of_scheme.latency_us * plateau(job_, scheme, bytes),
                   .transfer_us = transfer_us(static_cast<double>(bytes), algbw)};
}

// Fewer channels while one would have less than its threads want (src/enqueue.cc,
// topoGetAlgoInfo).
int Predictor::channels_for(const Scheme& scheme, std::size_t bytes) const {
  constexpr std::array<int, kProtocols> kThreads{512, 640, 512}, kThresholds{8, 8, 64};
  constexpr NcclVersion kTakesAllOpen{2, 22, 0};
  constexpr int kPciThreads = 256;
  constexpr double kPciGbps = 12;
  if (is_nvls(scheme.algorithm)) return job_.channels.nvls_channels;
  const int most = job_.version >= kTakesAllOpen ? open_channels(job_.channels, job_.version)
                                                 : job_.channels.coll_channels;
  if (scheme.algorithm == Algorithm::pat) return most;  // it has no number of threads there
  int threads = kThreads[index_of(scheme.protocol)];
  int threshold = kThresholds[index_of(scheme.protocol)];
  const auto& ring = job_.of(Algorithm::ring);
  if (scheme.algorithm == Algorithm::ring && scheme.protocol == Protocol::ll)
    threshold *= job_.nranks;
  if (scheme.algorithm == Algorithm::ring && scheme.protocol == Protocol::simple &&
      ring.intra_gbps * ring.nchannels() <= kPciGbps)
    threads = kPciThreads;
  const auto each = static_cast<std::size_t>(threads) * static_cast<std::size_t>(threshold);
  return static_cast<int>(std::clamp<std::size_t>(bytes / each, 1, static_cast<std::size_t>(most)));
}

std::optional<Prediction> Predictor::predict_way(const Scheme& scheme, std::size_t bytes,
                                                 const Reduced& what) const {
  const auto time = time_us(scheme, bytes, what);
  if (!time || !can_reduce(scheme, what)) return std::nullopt;
  const double algbw = gbps_of(static_cast<double>(bytes), *time);
  return Prediction{.bytes = bytes,
                    .algorithm = scheme.algorithm,
                    .protocol = scheme.protocol,
                    .channels = channels_for(scheme, bytes),
                    .time_us = *time,
                    .algbw_gbps = algbw,
                    .busbw_gbps = algbw * bus_factor(scheme.function, job_.nranks)};
}

bool Predictor::can_do(Function function, const Reduced& what) const {
  return table_has_a_way(function, what) ||
         std::ranges::any_of(kAllProtocols, [&](Protocol protocol) {
           return cost({function, Algorithm::ring, protocol}, what).usable();
         });
}

Prediction Predictor::predict(Function function, std::size_t bytes, const Reduced& what) const {
  std::optional<Prediction> best;
  bool best_avoided = true;
  for (const auto algorithm : kAllAlgorithms)
    for (const auto protocol : kAllProtocols) {
      const Scheme scheme{function, algorithm, protocol};
      const auto way = predict_way(scheme, bytes, what);
      if (!way) continue;
      const bool avoided = is_avoided(job_, scheme, what);
      if (best && std::pair(avoided, way->time_us) >= std::pair(best_avoided, best->time_us))
        continue;
      best_avoided = avoided;
      best = way;
    }
  assert(best);
  return best.value_or(Prediction{});
}

// The factors change at powers of two, so that a choice may change and change back: every one of
// them is looked at, and between two the change is searched.
std::vector<Crossover> Predictor::crossovers(Function function, std::size_t least, std::size_t most,
                                             const Reduced& what) const {
  std::vector<Crossover> found;
  const auto differs = [&](std::size_t bytes) {
    const auto now = predict(function, bytes, what);
    return now.algorithm != found.back().algorithm || now.protocol != found.back().protocol;
  };
  const auto add = [&](std::size_t bytes) {
    const auto now = predict(function, bytes, what);
    found.push_back({bytes, now.algorithm, now.protocol});
  };
  add(least);
  for (std::size_t low = least; low < most;) {
    const std::size_t high = std::min(std::bit_floor(low) * 2, most);
    // At `high` itself another factor holds: the last size before it belongs to this span.
    std::size_t same = low, other = high - 1;
    if (other > same && differs(other)) {
      while (other - same > kCorrectionUnit) {
        const auto middle = same + (other - same) / 2;
        (differs(middle) ? other : same) = middle;
      }
      add(other);
      low = other;
      continue;
    }
    if (differs(high)) add(high);
    low = high;
  }
  return found;
}

}  // namespace linerate::topo
