#include "bench/memcpy/copy_fit.h"

#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace linerate {
namespace {

// Parts of the free memory; the rest is for others and for contexts.
constexpr double kShareOfGpu = 0.9;
constexpr double kShareOfHost = 0.5;

double share_of(int end) { return end == kHostEnd ? kShareOfHost : kShareOfGpu; }

// Buffers at each end, the most that one measurement has.
std::map<int, std::size_t> most_buffers(std::span<const CopyPlan> plans) {
  std::map<int, std::size_t> most;
  for (const CopyPlan& plan : plans)
    for (const CopyMeasurement& measurement : plan.measurements) {
      std::map<int, std::size_t> here;
      for (const CopyStream& stream : measurement.streams) {
        ++here[stream.from];
        ++here[stream.to];
      }
      for (const auto& [end, buffers] : here) most[end] = std::max(most[end], buffers);
    }
  return most;
}

}  // namespace

CopyFit fitting_bytes(std::span<const CopyPlan> plans, std::size_t wanted,
                      const std::function<std::size_t(int)>& free_bytes) {
  CopyFit fit{.bytes = wanted};
  for (const auto& [end, buffers] : most_buffers(plans)) {
    const std::size_t free = free_bytes(end);
    const auto ours = static_cast<std::size_t>(static_cast<double>(free) * share_of(end));
    const std::size_t bytes = ours / buffers / kCopyGrain * kCopyGrain;
    if (bytes < fit.bytes)
      fit = {.bytes = bytes, .bound_by = end, .buffers = buffers, .free_bytes = free};
  }
  return fit;
}

std::string fit_text(const CopyFit& fit, std::size_t wanted) {
  constexpr double kPercent = 100;
  const auto where = fit.bound_by == kHostEnd ? "the host" : fmt::format("GPU {}", fit.bound_by);
  return fmt::format(
      "-b {} does not fit: {} has {} free, and {:.0f} % of it holds {} buffer{} of {} bytes",
      bytes_text(wanted), where, about_bytes_text(fit.free_bytes),
      kPercent * share_of(fit.bound_by), fit.buffers, fit.buffers == 1 ? "" : "s", fit.bytes);
}

}  // namespace linerate
