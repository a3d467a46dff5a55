// See memory_curve.h.
#include "bench/expect/memory_curve.h"

#include "base/units.h"

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
  return point;
}

}  // namespace

std::vector<double> Touched::footprints() const {
  constexpr double kCounts = 0.1;
  std::vector<double> footprints;
  for (const auto& [part, bytes] : visits)
    if (part >= kCounts) footprints.push_back(bytes);
  return footprints;
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

bool MemoryCurve::knows(double bytes, std::span<const std::size_t> left_out) const {
  const auto size = [](const MemoryPoint& point) { return static_cast<double>(point.bytes); };
  const auto above =
      std::ranges::find_if(points_, [&](const auto& point) { return size(point) >= bytes; });
  if (above == points_.end() || size(*above) == bytes) return true;
  const double below = above == points_.begin() ? 0 : size(*std::prev(above));
  return std::ranges::none_of(left_out, [&](std::size_t missing) {
    return static_cast<double>(missing) > below && missing < above->bytes;
  });
}

bool MemoryCurve::knows(std::span<const double> footprints,
                        std::span<const std::size_t> left_out) const {
  return !empty() &&
         std::ranges::all_of(footprints, [&](double bytes) { return knows(bytes, left_out); });
}

bool MemoryCurve::is_memory(double bytes, std::size_t l3_bytes) const {
  if (bytes > static_cast<double>(l3_bytes)) return true;
  const auto& largest = points_.back();
  return largest.bytes > l3_bytes && at(bytes).copy_gbps < kLikeMemory * largest.copy_gbps;
}

bool MemoryCurve::beyond_caches(const Touched& touched, std::size_t l3_bytes) const {
  double beyond = 0, within = 0;
  for (const auto& [part, bytes] : touched.visits)
    (is_memory(bytes, l3_bytes) ? beyond : within) += part;
  return beyond > within;
}

double MemoryCurve::least_us(const Touched& touched) const {
  double us = 0;
  for (const auto& [part, bytes] : touched.visits)
    if (part > 0) us += part * least_us(touched, bytes);
  return us;
}

double MemoryCurve::least_us(const Touched& touched, double footprint_bytes) const {
  const auto gbps = at(footprint_bytes);
  const double updated = touched.updated_bytes;
  const double paired = std::min(touched.read_bytes, touched.written_bytes);
  double us = 2 * (paired - updated) / gbps.copy_gbps +
              (touched.read_bytes - paired) / gbps.read_gbps +
              (touched.written_bytes - paired) / gbps.write_gbps;
  if (updated > 0) us += 2 * updated / std::max(gbps.copy_gbps, gbps.update_gbps);
  return us / kBytesPerUsOfGbps;
}

}  // namespace linerate
