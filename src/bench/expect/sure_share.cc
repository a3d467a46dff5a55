// See sure_share.h.
#include "bench/expect/sure_share.h"

#include "base/units.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace linerate {
namespace {

constexpr double kMinWaiting = 0.5;  // of the ranks: a mean that fewer lengthen says nothing

// Of a call's time, what a rank itself needs.
double own_part(const NetworkCall& call, std::size_t rank) {
  if (call.crossed.needs[rank] == 0) return 0;
  const auto& point = call.limits.points[static_cast<std::size_t>(call.limits.nodes[rank])];
  const double bytes = static_cast<double>(call.crossed.needs[rank]) * call.element_bytes;
  const CallTime own{.message_us = call.time.message_us,
                     .bytes_us = bytes / point.receive_gbps / kBytesPerUsOfGbps};
  return std::min(1.0, own.us() / call.time.us());
}

// By rank.
std::vector<double> sure_parts(const NetworkCall& call) {
  const double but_last = call.crossed.in_step ? 1 - 1 / static_cast<double>(call.limits.calls) : 0;
  std::vector<double> parts;
  for (std::size_t rank = 0; rank < call.crossed.needs.size(); ++rank)
    parts.push_back(std::max(but_last, own_part(call, rank)));
  return parts;
}

bool says_something(const NetworkCall& call) {
  const auto nranks = static_cast<double>(call.crossed.needs.size());
  return call.collective.rooted ||
         static_cast<double>(call.crossed.waiting()) >= kMinWaiting * nranks;
}

}  // namespace

double sure_share(const NetworkCall& call) {
  if (call.limits.average == Average::max) return 1;
  if (call.collective.varies && !call.crossed.in_step) return 0;
  const auto parts = sure_parts(call);
  if (call.limits.average == Average::rank0) return parts.front();
  if (call.limits.average == Average::min) return std::ranges::min(parts);
  const double mean =
      std::accumulate(parts.begin(), parts.end(), 0.0) / static_cast<double>(parts.size());
  return says_something(call) ? mean : 0;
}

}  // namespace linerate
