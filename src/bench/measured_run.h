// The frame of every run on one thread: set up, measure, end. What is measured is a subclass.
#pragma once

#include "bench/run.h"
#include "bench/session.h"
#include "record/record.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

// calibrate -> plan -> allocate -> probe -> begin -> measure -> time pairs -> probe again -> close,
// or where another run follows, release the buffers.
// All steps but begin are collective over all threads; events fire on rank 0's thread.
class MeasuredRun {
 public:
  // All outlive the run. `started` is what the caller knows; the run adds the rest before begin.
  MeasuredRun(RankContext& rank, const BenchConfig& config, const RunInfo& started,
              const RunEvents& events);
  virtual ~MeasuredRun() = default;
  MeasuredRun(const MeasuredRun&) = delete;
  MeasuredRun& operator=(const MeasuredRun&) = delete;

  RunTotals run();

 protected:
  // What will run, once -e fits; yields its buffers. A rank may use `memory_bytes` for them. Sets
  // RunTotals::refusal, on all threads, where that is nothing.
  virtual BufferSizes plan(std::size_t memory_bytes) = 0;
  // Measures what results are held against; not called with --expect off.
  virtual void probe() {}
  // Says on rank 0 what the run is: RunEvents::begin.
  virtual void begin() = 0;
  // Everything, until interrupted().
  virtual void measure() = 0;
  // Looks for what is slow; not called with --expect off, nor after Ctrl-C.
  virtual void time_pairs() {}
  // What probe() measured, once more; not called where it was not.
  virtual void probe_again() {}
  // Of the run's very first call, where it was timed alone.
  virtual std::optional<double> first_call_us() const { return std::nullopt; }

  // Whether any thread was asked to end by now. Collective.
  bool interrupted();

  const RunEvents& events_;
  BenchConfig config_;  // with -e lowered to what fits
  Session session_;
  RunInfo info_;
  RunTotals totals_;

 private:
  std::size_t lower_max_bytes();
  std::vector<std::pair<std::string, std::uint64_t>> memory_bytes() const;
  void end();

  std::size_t initialised_free_ = 0, allocated_free_ = 0;  // bytes of a GPU; see memory_bytes()
};

// The instrument's own cost: clock and barrier, measured at start and recorded.
// Collective over all threads. The clock error is that of the common clock over all processes.
TimingInfo calibrate(Session& session);

}  // namespace linerate
