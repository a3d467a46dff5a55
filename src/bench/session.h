// A benchmark's part of a job: a thread's ranks with their two buffers, and the settings.
#pragma once

#include "base/handle.h"
#include "bench/config.h"
#include "job/rank_context.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace linerate {

// Bytes of one rank's buffers, without the lead that -u puts in front.
struct BufferSizes {
  std::size_t bytes = 0;        // of the send buffer, and of the recv buffer
  std::size_t spare_bytes = 0;  // of the spare buffer; 0: there is none
};

// How long a thread was ready to run while others had its core. Of the thread that makes it, which
// alone may ask. Asking takes a few microseconds.
class CoreWait {
 public:
  CoreWait();
  // Nanoseconds since the thread began, as Linux counts them; nothing where it does not tell.
  std::optional<std::int64_t> ns() const;

 private:
  FileDescriptor file_;
};

// The second number of /proc/PID/schedstat: "131355 3153608 2".
std::optional<std::int64_t> run_delay_ns(std::string_view schedstat);

// Hands on what is asked most of the thread's RankContext, and adds what benchmarks alone need:
// groups (-u, -R, NCCL_TESTS_SPLIT, --algo) and buffers of one size on all ranks. Used by one
// thread.
class Session {
 public:
  // Splits and chooses the algorithm. Both outlive the session. Collective over all threads.
  Session(RankContext& rank, const BenchConfig& config);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  RankContext& rank() { return rank_; }
  const RankContext& rank() const { return rank_; }
  const BenchConfig& config() const { return config_; }
  std::vector<LocalRank>& ranks() { return rank_.ranks(); }
  const std::vector<LocalRank>& ranks() const { return rank_.ranks(); }
  Group* group() { return rank_.group(); }
  Bootstrap& bootstrap() { return rank_.bootstrap(); }
  const Clock& clock() const { return rank_.clock(); }
  bool is_first() const { return rank_.is_first(); }
  int nranks() const { return rank_.nranks(); }
  Deadline init_deadline() const { return rank_.init_deadline(); }
  const std::vector<RankInfo>& infos() const { return rank_.infos(); }
  std::optional<ModeledTime> modeled_time() const { return rank_.modeled_time(); }
  // How long this thread has waited for a core so far; nothing where nobody tells, or where a
  // modelled clock knows nothing of it.
  std::optional<std::int64_t> core_wait_ns() const {
    return modeled_time() ? std::nullopt : core_wait_.ns();
  }
  bool any_thread(bool says) { return rank_.any_thread(says); }
  void barrier() { rank_.barrier(); }
  void align() { rank_.align(); }
  void enter(Stage stage) { rank_.enter(stage); }
  void enter_local(Stage stage) { rank_.enter_local(stage); }

  // Allocates the buffers of every local rank: send and recv, touched by this thread and filled
  // with inputs, so that no page fault and no zero page is in a timing; registers them (-R), which
  // is collective over all threads. The spare buffer is filled by who uses it. Each buffer is
  // `lead` bytes longer.
  void allocate(const BufferSizes& sizes, std::size_t lead = 0);

  // The bytes that each of this thread's ranks may use for buffers, minimum over all ranks.
  std::size_t rank_memory();

  // Fills in what this session knows: ranks, nodes, groups, transport, initialisation time.
  void describe(RunInfo& info) const;

 private:
  void force_algorithm();
  void register_buffers();
  std::size_t sharers_of(const LocalRank& local) const;

  RankContext& rank_;
  const BenchConfig& config_;
  CoreWait core_wait_;
  std::optional<int> registered_ranks_;  // of all, with -R
};

}  // namespace linerate
