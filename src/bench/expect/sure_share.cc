// See sure_share.h.
#include "bench/expect/sure_share.h"

#include "base/units.h"

#include <algorithm>
#include <cstddef>

namespace linerate {
namespace {

constexpr double kLeastWaiting = 0.5;  // of the ranks: a mean that fewer lengthen says nothing

// Of the ranks.
double waiting_part(const Crossed& crossed) {
  return static_cast<double>(crossed.waiting()) / static_cast<double>(crossed.needs.size());
}

// 1 where each rank takes as long as its own node, and one call less where one can be that much
// ahead.
double share_of_one(const NetworkCall& call) {
  const auto calls = static_cast<double>(call.limits.calls);
  if (call.crossed.in_step) return (calls - 1) / calls;
  const bool alone = call.limits.nodes.size() == call.limits.points.size();
  return alone && call.crossed.all_wait() ? 1 : 0;
}

// By how many of all calls one that waits may be ahead of the others.
double part_ahead(const NetworkCall& call) {
  const bool chain = !call.crossed.in_step && !call.collective.rooted;
  const auto ahead = chain ? static_cast<double>(call.crossed.needs.size() - 1) : 1.0;
  return std::min(1.0, ahead / static_cast<double>(call.limits.calls));
}

// Of a call's time, what a rank itself needs.
double own_part(const NetworkCall& call, std::size_t rank) {
  const auto& point = call.limits.points[static_cast<std::size_t>(call.limits.nodes[rank])];
  const double bytes = static_cast<double>(call.crossed.needs[rank]) * call.element_bytes;
  const double own_us = call.time.message_us + bytes / point.receive_gbps / kBytesPerUsOfGbps;
  return std::min(1.0, own_us / call.time.us());
}

double share_of_mean(const NetworkCall& call) {
  if (!call.collective.rooted && waiting_part(call.crossed) < kLeastWaiting) return 0;
  const auto& needs = call.crossed.needs;
  const double ahead = part_ahead(call);
  double sum = 0;
  for (std::size_t rank = 0; rank < needs.size(); ++rank)
    if (needs[rank] > 0) sum += 1 - ahead * (1 - own_part(call, rank));
  return sum / static_cast<double>(needs.size());
}

}  // namespace

double sure_share(const NetworkCall& call) {
  if (call.limits.average == Average::max) return 1;
  if (call.collective.varies && !call.crossed.in_step) return 0;  // some may need far less
  return call.limits.average == Average::mean ? share_of_mean(call) : share_of_one(call);
}

}  // namespace linerate
