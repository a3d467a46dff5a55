// Interpolates between measured sizes. The bound is memory time plus one message, and how much of
// that a healthy run reaches.
#include "model/memory_bound.h"

#include "base/units.h"
#include "record/verdict.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace linerate {
namespace {

MemoryPoint between(const MemoryPoint& low, const MemoryPoint& high, double bytes) {
  const double span = std::log2(static_cast<double>(high.bytes) / static_cast<double>(low.bytes));
  const double part = std::log2(bytes / static_cast<double>(low.bytes)) / span;
  MemoryPoint point{.bytes = static_cast<std::size_t>(bytes)};
  for (const auto gbps : kMemoryBandwidths)
    point.*gbps = low.*gbps + part * (high.*gbps - low.*gbps);
  point.noise = low.noise + part * (high.noise - low.noise);
  return point;
}

constexpr double kSharedCores = 0.5;

double trusted(const MemoryLimits& limits) { return limits.shared_cores ? kSharedCores : 1; }

// Of 600 healthy results on two cores of an EPYC with AVX-512, beside other work, the lowest
// reached 0.41 beyond the caches and 0.08 within; on other processors more. Exchanges in place,
// which have no defined result, go through whatever buffer a library has: 0.02 to 0.4.
double low_share(const MemoryLimits& limits, bool by_memory, const Footprint& footprint) {
  constexpr double kHealthy = 0.4, kHealthyBetweenCores = 0.07;
  if (footprint.exchanges) return 0;
  const bool beyond_caches = limits.curve.beyond_caches(footprint, limits.l3_bytes);
  const bool sharp = limits.direct && by_memory && beyond_caches;
  const double healthy = sharp ? kHealthy * footprint.active_rank_fraction : kHealthyBetweenCores;
  return healthy * trusted(limits);
}

}  // namespace

std::vector<double> Footprint::distances() const {
  constexpr double kCounts = 0.1;
  std::vector<double> distances;
  for (const auto& [fraction, bytes] : reuse)
    if (fraction >= kCounts) distances.push_back(bytes);
  return distances;
}

MemoryCurve::MemoryCurve(std::vector<MemoryPoint> points) : points_(std::move(points)) {
  std::ranges::sort(points_, {}, &MemoryPoint::bytes);
}

MemoryPoint MemoryCurve::at(double bytes) const {
  assert(!empty());
  const auto above = std::ranges::find_if(
      points_, [&](const auto& point) { return static_cast<double>(point.bytes) >= bytes; });
  if (above == points_.end()) return points_.back();
  if (above == points_.begin()) return points_.front();
  return between(*std::prev(above), *above, bytes);
}

bool MemoryCurve::covers(double bytes, std::span<const std::size_t> unprobed) const {
  const auto size = [](const MemoryPoint& point) { return static_cast<double>(point.bytes); };
  const auto above =
      std::ranges::find_if(points_, [&](const auto& point) { return size(point) >= bytes; });
  if (above == points_.end() || size(*above) == bytes) return true;
  const double below = above == points_.begin() ? 0 : size(*std::prev(above));
  return std::ranges::none_of(unprobed, [&](std::size_t missing) {
    return static_cast<double>(missing) > below && missing < above->bytes;
  });
}

bool MemoryCurve::covers(std::span<const double> distances,
                         std::span<const std::size_t> unprobed) const {
  return !empty() &&
         std::ranges::all_of(distances, [&](double bytes) { return covers(bytes, unprobed); });
}

bool MemoryCurve::is_memory(double bytes, std::size_t l3_bytes) const {
  if (bytes > static_cast<double>(l3_bytes)) return true;
  const auto& largest = points_.back();
  return largest.bytes > l3_bytes && at(bytes).copy_gbps < kLikeMemory * largest.copy_gbps;
}

bool MemoryCurve::beyond_caches(const Footprint& footprint, std::size_t l3_bytes) const {
  double beyond = 0, within = 0;
  for (const auto& [fraction, bytes] : footprint.reuse)
    (is_memory(bytes, l3_bytes) ? beyond : within) += fraction;
  return beyond > within;
}

double MemoryCurve::min_us(const Footprint& footprint) const {
  double us = 0;
  for (const auto& [fraction, bytes] : footprint.reuse)
    if (fraction > 0) us += fraction * min_us(footprint, bytes);
  return us;
}

double MemoryCurve::min_us(const Footprint& footprint, double distance_bytes) const {
  const auto gbps = at(distance_bytes);
  const double updated = footprint.updated_bytes;
  const double paired = std::min(footprint.read_bytes, footprint.written_bytes);
  double us = 2 * (paired - updated) / gbps.copy_gbps +
              (footprint.read_bytes - paired) / gbps.read_gbps +
              (footprint.written_bytes - paired) / gbps.write_gbps;
  if (updated > 0) us += 2 * updated / std::max(gbps.copy_gbps, gbps.update_gbps);
  return us / kBytesPerUsOfGbps;
}

double MemoryCurve::noise(const Footprint& footprint) const {
  double noise = 0;
  for (const auto& [fraction, bytes] : footprint.reuse)
    if (fraction > 0) noise += fraction * at(bytes).noise;
  return std::max(1.0, noise);
}

double min_memory_us(const MemoryLimits& limits, const Footprint& footprint) {
  return trusted(limits) * limits.curve.min_us(footprint);
}

std::optional<Expectation> memory_bound(const ModeledCall& call, const MemoryLimits& limits,
                                        const Footprint& footprint) {
  if (call.bus_factor() <= 0 || limits.curve.empty()) return std::nullopt;
  const double memory_us = min_memory_us(limits, footprint);
  const double time_us = memory_us + (limits.shared_cores ? 0 : limits.latency_us);
  const bool by_memory = memory_us >= limits.latency_us;
  if (time_us <= 0 || (limits.shared_cores && !by_memory)) return std::nullopt;
  const double healthy_us = memory_us + limits.latency_us;
  auto expected = band_below(gbps_of(call.algbw_bytes(), time_us) * call.bus_factor(),
                             low_share(limits, by_memory, footprint) * time_us / healthy_us,
                             by_memory ? "memory" : "latency");
  if (!limits.shared_cores)
    expected.high_gbps *=
        time_us / (memory_us + std::min(limits.latency_us, limits.least_latency_us));
  if (!by_memory) return expected;
  expected.slack = limits.curve.noise(footprint);
  expected.high_gbps *= expected.slack;
  return expected;
}

}  // namespace linerate
