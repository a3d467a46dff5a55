// Of /proc/self: Pss is a page's share among the processes that have it mapped, VmHWM the highest
// Rss so far. Pages are shared at the peak as they are at the end, since arenas give none back.
#include "trainers/programs/resident.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

namespace linerate {
namespace {

constexpr double kKibibyte = 1024;

// 0 where the system has no such line.
double bytes_in(const char* file, std::string_view key) {
  std::ifstream lines(file);
  for (std::string word; lines >> word;) {
    double kibibytes = 0;
    if (word == key && lines >> kibibytes) return kibibytes * kKibibyte;
  }
  return 0;
}

double share(std::string_view key) { return bytes_in("/proc/self/smaps_rollup", key); }

}  // namespace

std::string resident_text(const MemoryUse& use) {
  const auto mib = [](double bytes) { return bytes / (1 << 20); };
  return fmt::format(
      "# resident memory of all ranks at most, MiB: {:.1f}; before training {:.1f}, arenas {:.1f}",
      mib(use.peak_bytes), mib(use.start_bytes), mib(use.arena_bytes));
}

Resident::Resident(RankContext& rank)
    : rank_(rank), speaks_(rank.rank() % rank.config().ranks_per_process() == 0) {
  rank.barrier();
  if (speaks_) start_bytes_ = share("Pss:");
  rank.barrier();
}

MemoryUse Resident::use(const trainers::Arena& arena) {
  rank_.barrier();
  const double peak = bytes_in("/proc/self/status", "VmHWM:") - (share("Rss:") - share("Pss:"));
  std::array sums{start_bytes_, static_cast<double>(arena.reserved()), speaks_ ? peak : 0};
  const View view = std::as_writable_bytes(std::span(sums));
  rank_.world().all_reduce(
      {.send = view, .recv = view, .count = sums.size(), .type = DataType::float64}, {},
      rank_.stream());
  rank_.stream().synchronize(Deadline::never());
  return {.start_bytes = sums[0], .arena_bytes = sums[1], .peak_bytes = sums[2]};
}

}  // namespace linerate
