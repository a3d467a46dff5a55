// What a machine gives at most: memory's bandwidth by size and by cores, and how far cores are
// apart. PinnedTeam goes over memory; survey_machine() asks it.
#pragma once

#include "base/clock.h"
#include "bench/probe/kernels.h"
#include "comm/buffer.h"
#include "comm/device.h"
#include "topo/machine.h"

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// Which blocks of memory each of a team's first threads goes over, by number: all blocks of its
// memory node, shared out among the threads that work there. Block i is thread i's own.
std::vector<std::vector<std::size_t>> shared_out(const std::vector<HardwareThread>& threads,
                                                 std::size_t nworkers);

// Threads on cores of their own that go over memory together, each over what lies near it.
// Used by one thread; `host` and `clock` outlive it.
class PinnedTeam {
 public:
  // A block of `block_bytes` for each of `threads`, touched on its core.
  PinnedTeam(std::vector<HardwareThread> threads, std::size_t block_bytes, Device& host,
             const Clock& clock);

  std::size_t size() const { return threads_.size(); }
  // How many of the threads could not be bound to their cores: what is said of cores is then less
  // than certain.
  int unbound() const { return unbound_; }

  // GB/s (10^9 bytes, as the kernel counts them) of all threads together over `bytes` each of their
  // own blocks: the best of a few passes.
  double own_gbps(const probe::Kernel& kernel, std::size_t bytes);
  // The same of the first `nworkers` over all memory of their memory nodes.
  double shared_gbps(const probe::Kernel& kernel, std::size_t nworkers);

 private:
  using Pieces = std::vector<View>;  // of one thread, in order

  double gbps(const probe::Kernel& kernel, const std::vector<Pieces>& pieces);

  std::vector<HardwareThread> threads_;
  const Clock& clock_;
  std::vector<Buffer> blocks_;
  std::atomic<int> unbound_ = 0;
};

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

// The sizes at which all cores are measured, of one thread's memory, ascending.
std::vector<std::size_t> survey_sizes(const SurveyPlan& plan);

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
