// Where the time of a step goes: compute, communication that nothing hides, and idling. From
// recorded intervals, not from settings.
//
// Compute is when the compute stream works: the step without its waits. A call is exposed where
// compute waits for its stream while it is under way; until the last rank has begun it that is
// waiting for a peer, then transfer. A moment in which several such calls are under way counts for
// the one that began first. A receive that is posted ahead thus costs nothing until compute waits
// for it. compute + exposed + idle is the step.
#pragma once

#include "trainers/engine/compute_stream.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::trainers {

// One call on the time line of the step's clock.
struct CallSpan {
  std::string_view axis{}, purpose{};
  std::string_view stream{};  // that it was on: Axis::title()
  std::uint64_t bytes = 0;
  std::int64_t start_ns = 0, end_ns = 0;
  std::int64_t last_start_ns = 0;  // when the last rank began it
  int last_rank = 0;               // which that was
};

// When compute waited, and for which streams.
struct WaitSpan {
  TimeSpan at{};
  std::string_view stream{};  // CallSpan::stream; empty: not known, any may be it
  std::string_view before{};  // that this one waited for in turn, if any
};

// Whether the call is on one of these.
bool is_awaited(const CallSpan& call, const WaitSpan& wait);

// Calls of one axis and purpose.
struct PurposeTime {
  std::string axis{}, purpose{};
  std::uint64_t calls = 0, bytes = 0;
  double total_us = 0;         // under way, hidden or not
  double exposed_wait_us = 0;  // for the last peer
  double exposed_transfer_us = 0;

  double exposed_us() const { return exposed_wait_us + exposed_transfer_us; }
};

// How long compute waited until a rank had begun calls that all others had begun.
struct PeerWait {
  int rank = 0;
  double us = 0;
};

struct StepTime {
  double step_us = 0, compute_us = 0, idle_us = 0;
  std::vector<PurposeTime> purposes{};  // in the order of their first calls
  std::vector<PeerWait> waited_for{};   // each rank once, in the order of their first waits

  double comm_us() const;
  double exposed_us() const;
  // Share of communication that compute hides; 0 where there is none.
  double overlap() const { return comm_us() > 0 ? 1 - exposed_us() / comm_us() : 0; }
};

// REQUIRES: `waits` lie within `step`, in their order, and do not overlap.
StepTime step_time(TimeSpan step, std::span<const WaitSpan> waits, std::span<const CallSpan> calls);

}  // namespace linerate::trainers
