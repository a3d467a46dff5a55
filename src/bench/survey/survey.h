// What a machine gives at most: memory's bandwidth by size and by cores, and how far cores are
// apart.
#pragma once

#include "base/clock.h"
#include "comm/device.h"
#include "topo/machine.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// GB/s (10^9 bytes), bytes counted as STREAM does: a copy moves two for each that it writes.
struct Bandwidths {
  double read_gbps = 0, write_gbps = 0, copy_gbps = 0, triad_gbps = 0;

  bool operator==(const Bandwidths&) const = default;
};

struct SizeBandwidths {
  std::size_t bytes = 0;  // of all threads together
  Bandwidths of{};

  bool operator==(const SizeBandwidths&) const = default;
};

struct CoreBandwidths {
  int nthreads = 0;       // the first ones of cores_first()
  int nmemory_nodes = 0;  // on which they and their memory lie
  Bandwidths of{};

  bool operator==(const CoreBandwidths&) const = default;
};

// A cache line that goes from one hardware thread to another and back.
struct LineLatency {
  std::string between{};  // what the two share: "one core", "one L3 cache", …
  int first = 0, second = 0;
  double round_trip_ns = 0;  // the median

  bool operator==(const LineLatency&) const = default;
};

struct Survey {
  int nthreads = 0;
  std::vector<SizeBandwidths> by_size{};   // ascending
  std::vector<CoreBandwidths> by_cores{};  // ascending, over memory beyond the caches
  std::vector<LineLatency> lines{};        // from near to far

  bool operator==(const Survey&) const = default;
};

// What is measured.
struct SurveyPlan {
  std::vector<HardwareThread> threads{};  // in the order of cores_first()
  std::size_t largest_bytes = 0;          // of all threads' memory together
};
// `free_bytes`: at most an eighth of it is used.
SurveyPlan survey_plan(std::vector<HardwareThread> threads, std::size_t l3_bytes,
                       std::size_t free_bytes);

// Takes seconds; says in a few words what it does now. Used by one thread.
using SayProgress = std::function<void(std::string_view)>;
Survey survey_machine(const SurveyPlan& plan, Device& host, const Clock& clock,
                      const SayProgress& progress);

// The least size from which on memory is no faster than at the largest: so much of the caches
// works. 0 where the caches hold all that was measured.
std::size_t cache_end(const Survey& survey);

// How many threads are measured together: 1, 2, 4, …, the cores of the first memory node, all
// cores, all threads.
std::vector<std::size_t> thread_counts(const std::vector<HardwareThread>& threads);

// The first thread, and another one of each kind of distance from it.
struct LinePair {
  std::string_view between;
  int first = 0, second = 0;
};
std::vector<LinePair> line_pairs(const std::vector<HardwareThread>& threads);

}  // namespace linerate
