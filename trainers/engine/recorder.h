// What a rank does in a step, as intervals on one time line for all ranks of all hosts: rank 0's
// clock.
#pragma once

#include "job/rank_context.h"
#include "trainers/engine/compute_stream.h"
#include "trainers/engine/step_time.h"
#include "trainers/parallel/axis.h"

#include <cstdint>
#include <span>
#include <vector>

namespace linerate::trainers {

struct WorkSpan {
  WorkTag what{};
  TimeSpan at{};
};

// Nanoseconds of the common clock. Waits lie within the work that waits, or between two.
struct StepSpans {
  TimeSpan step{};
  std::vector<WorkSpan> work{};
  std::vector<WaitSpan> waits{};
  std::vector<CallSpan> calls{};  // of all axes, one after the other
};

// Used by the rank's thread. Collective: all ranks make the same calls, and those of an axis the
// same calls on it in a step.
class Recorder {
 public:
  // All references outlive it.
  Recorder(RankContext& rank, ComputeStream& compute, std::vector<Axis*> axes);

  // What was recorded before belongs to no step.
  void begin();
  // Of the work since begin(), which is done. Asks the other ranks when they began each call, and
  // now and then what their clocks show.
  StepSpans end();

  // A bound of how far a host's clock may be off the common time line, as measured at first; 0 on
  // one host. The same on all ranks.
  double clock_error_us() const { return clock_error_us_; }
  // Of the last begin(), which is the start of the step's span.
  const Event& start() const { return start_; }

 private:
  bool several_hosts() const { return rank_.bootstrap().place().nnodes > 1; }
  void refresh_clock();
  TimeSpan span(const Event& start, const Event& end) const;
  std::vector<WaitSpan> take_waits() const;
  void take_calls(Axis& axis, std::vector<CallSpan>& into) const;

  RankContext& rank_;
  ComputeStream& compute_;
  const std::vector<Axis*> axes_;
  ClockOffset before_, after_;  // of this host's clock, around the step
  Event start_;
  std::int64_t start_ns_ = 0;  // this rank's clock
  double clock_error_us_ = 0;
};

}  // namespace linerate::trainers
