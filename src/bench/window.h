// The window: nccl-tests' measurement, n x m calls between two clock reads. Inside is nothing else
// but a third read behind the last call (-C).
// run_window() makes the calls; CapturedWindow holds them as graphs (-G), captured once, which
// run_launches() launches many times.
#pragma once

#include "bench/call_issuer.h"
#include "bench/session.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace linerate {

struct WindowPlan {
  std::uint64_t iters = 20;
  int agg_iters = 1;
  std::size_t sliding_slots = 1;           // calls cycle over these
  std::optional<std::size_t> last_slot{};  // of the very last call; nothing: as of all others
};

struct WindowTime {
  std::int64_t elapsed_ns = 0;
  std::int64_t enqueue_ns = 0;                 // until the last call was enqueued (-C)
  std::optional<std::int64_t> lost_ns{};       // where the backend tells: see Communicator
  std::optional<std::int64_t> core_wait_ns{};  // of this thread; see Session::core_wait_ns()

  WindowTime& operator+=(const WindowTime& more);
};

// Enqueues the calls of the plan, each on its slot; waits between them where -z 1 or 2 says so.
void enqueue_window(Session& session, CallIssuer& issuer, const WindowPlan& plan);

// Aligns all threads, then times the calls. Excluded from the time: the alignment, and with -z 3
// the barrier of each iteration. Collective over all threads.
WindowTime run_window(Session& session, CallIssuer& issuer, const WindowPlan& plan);

// One graph for each of this thread's ranks. The issuer outlives it.
class CapturedWindow {
 public:
  // Captures the calls of `plan`; none is done yet. Collective over all threads.
  CapturedWindow(Session& session, CallIssuer& issuer, const WindowPlan& plan);

  // Enqueues all calls once.
  void launch();

 private:
  Session& session_;
  std::vector<std::unique_ptr<Graph>> graphs_;
};

// Aligns all threads, then times `launches` launches and the wait for them. Collective.
WindowTime run_launches(Session& session, CallIssuer& issuer, CapturedWindow& captured,
                        int launches);

}  // namespace linerate
