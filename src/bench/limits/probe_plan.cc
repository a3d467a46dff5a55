// The largest size first, then from the smallest up, as long as the budget lasts.
#include "bench/limits/probe_plan.h"

#include "base/units.h"

#include <algorithm>
#include <utility>

namespace linerate {
namespace {

constexpr std::size_t kMinSize = std::size_t{64} << 10;
constexpr double kApart = 1.5;      // sizes closer together tell the same
constexpr std::size_t kCaches = 4;  // a footprint so many times a cache does not profit of it
// Bandwidths of one speed differ by so much from one pass to the next.
constexpr double kAlike = 1.1;

bool alike(const MemoryPoint& one, const MemoryPoint& other) {
  for (const auto gbps : kMemoryBandwidths) {
    const auto [least, most] = std::minmax(one.*gbps, other.*gbps);
    if (most > kAlike * least) return false;
  }
  return true;
}

}  // namespace

std::vector<std::size_t> probe_sizes(std::span<const double> footprints,
                                     const ProbeBounds& bounds) {
  if (footprints.empty()) return {};
  auto most = bounds.buffer_bytes;
  if (bounds.cache_bytes > 0) most = std::min(most, kCaches * bounds.cache_bytes);
  most = std::max(most, kMinSize);
  std::vector<std::size_t> wanted;
  for (const double bytes : footprints)
    wanted.push_back(static_cast<std::size_t>(
        std::clamp(bytes, static_cast<double>(kMinSize), static_cast<double>(most))));
  std::ranges::sort(wanted);
  std::vector<std::size_t> sizes{wanted.front()};
  for (const auto size : wanted)
    if (static_cast<double>(size) >= kApart * static_cast<double>(sizes.back()))
      sizes.push_back(size);
  if (sizes.back() != wanted.back()) sizes.push_back(wanted.back());
  return sizes;
}

// It takes as long as the largest one did, since no size is slower, and before that it is gone
// through once.
bool ProbePlan::fits(std::size_t size) const {
  const double once_us = transfer_us(static_cast<double>(size), points_.front().read_gbps);
  return elapsed_us_ + largest_us_ + once_us <= rules_.budget_us;
}

std::optional<std::size_t> ProbePlan::next() {
  if (waiting_.empty()) return std::nullopt;
  if (points_.empty()) return waiting_.back();
  if (rules_.stops_when_alike && points_.size() > 1 && alike(points_.front(), points_.back()))
    return std::nullopt;
  if (fits(waiting_.front())) return waiting_.front();
  unprobed_ = std::exchange(waiting_, {});
  return std::nullopt;
}

void ProbePlan::add(const MemoryPoint& point, double took_us) {
  if (points_.empty()) largest_us_ = took_us;
  elapsed_us_ += took_us;
  std::erase(waiting_, point.bytes);
  points_.push_back(point);
}

}  // namespace linerate
