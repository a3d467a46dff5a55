// The samples: a second pass, stamped at entry and exit on every thread, reduced on rank 0.
#pragma once

#include "bench/call_issuer.h"
#include "bench/session.h"
#include "bench/skew.h"
#include "bench/window.h"
#include "launch/common_clock.h"
#include "stats/reservoir.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace linerate {

// Threads whose stamps are reduced together: one group, or all.
using ThreadSet = std::vector<int>;

// Entry and exit of one sample on one thread.
struct Stamp {
  std::int64_t entry_ns = 0;
  std::int64_t exit_ns = 0;
};

// What rank 0 keeps of one thread set, in microseconds.
struct SampleReduction {
  // Exact up to this many samples of a case, a reservoir above.
  static constexpr std::size_t kExactSamples = 1'000'000;

  explicit SampleReduction(std::size_t capacity, std::size_t nthreads);

  stats::Reservoir time_us;          // maximum over threads of exit - entry, per call
  stats::Reservoir arrival_skew_us;  // last entry - first entry, common clock
  stats::Reservoir exit_skew_us;
  stats::Reservoir last_to_last_us;  // last exit - last entry: the transfer, once all were there
  // Per thread of the set, summed over samples: entry - first entry; from its entry until the last
  // one entered, or until it left before that; the rest of its time.
  std::vector<double> late_us_sum, wait_us_sum, transfer_us_sum;
  // [process][sample]: maximum over the threads of a process, per call; of the first kExactSamples.
  // Kept where there are rows.
  std::vector<std::vector<double>> process_us;
  std::uint64_t skipped = 0;
};

struct SamplePlan {
  std::uint64_t samples = 20;
  std::uint64_t first = 0;  // the case's number of the first of them
  int batch = 1;            // calls per sample
  std::uint64_t skip = 0;   // the first samples that are dropped (-K)
  std::size_t sliding_slots = 1;
  // Untimed calls before the first sample, so that it follows its like; on the slots of samples.
  std::uint64_t lead_in = 1;
  const SkewPattern* skew = nullptr;    // what each thread's first rank waits for; null: nothing
  CapturedWindow* captured = nullptr;   // with it a sample is one launch, of `batch` calls
  std::uint64_t block = 4096;           // samples until `interrupted` is asked, at most kBlock
  std::function<bool()> interrupted{};  // collective; true leaves the rest out; null: never
};

// With -I on a GPU its events are the stamps: iterations run back to back, without a barrier, and
// skews are unknown. Stamps of all threads reach rank 0 in blocks of bounded size, outside the
// stamped parts. `sets` are reduced into `reductions` on rank 0 only; both have the same length
// there, others pass none.
class Sampler {
 public:
  static constexpr std::size_t kBlock = 4096;

  // Reserves the stamps.
  explicit Sampler(Session& session);

  // Collective over all threads.
  void run(CallIssuer& issuer, const SamplePlan& plan, const std::vector<ThreadSet>& sets,
           std::vector<SampleReduction>& reductions);

 private:
  void stamp_block(CallIssuer& issuer, const SamplePlan& plan, std::span<Stamp> stamps);
  void mark_block(CallIssuer& issuer, const SamplePlan& plan, std::span<Stamp> stamps);
  void lead_in(CallIssuer& issuer, const SamplePlan& plan) const;
  void one_sample(CallIssuer& issuer, const SamplePlan& plan);
  void arrive_late(const SkewPattern& skew);
  bool device_stamps() const { return !timing_events_.empty(); }
  void gather_block(std::size_t count, const SamplePlan& plan, std::uint64_t done,
                    const std::vector<ThreadSet>& sets, std::vector<SampleReduction>& reductions);
  ClockOffset offset_now();

  Session& session_;
  std::vector<Stamp> stamps_;
  // Per local rank, one point more than stamps: with -I on devices that keep their own time.
  std::vector<std::unique_ptr<TimingEvents>> timing_events_;
  std::size_t next_slot_ = 0;
  std::uint64_t sample_ = 0;  // of the case: SamplePlan::first, and on
  ClockOffset before_;        // of the current block
};

// Calls per sample so that the two clock reads cost at most 2 % of it.
int batch_for(double call_us, double clock_cost_ns);

}  // namespace linerate
