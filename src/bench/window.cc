// The clock is read right before the first call and right after the wait for the last one.
#include "bench/window.h"

#include <algorithm>

namespace linerate {
namespace {

// Yields the slots of consecutive calls without a division: 0, 1, …, then 0 again.
class SlotCycle {
 public:
  explicit SlotCycle(std::size_t slots) : slots_(slots) {}
  std::size_t next() {
    const auto slot = next_;
    next_ = slot + 1 == slots_ ? 0 : slot + 1;
    return slot;
  }

 private:
  std::size_t slots_;
  std::size_t next_ = 0;
};

bool waits_for_each(Blocking blocking) {
  return blocking == Blocking::wait || blocking == Blocking::wait_and_barrier;
}

// The barrier is timed: it is the cheapest one, without a common start.
void wait_inner(Session& session, CallIssuer& issuer) {
  issuer.synchronize();
  if (session.config().blocking == Blocking::wait_and_barrier)
    session.ranks().front().world->barrier();
}

// All calls of one iteration, fused where none is waited for alone; the very last call of the
// window works on a slot of its own, where the plan has one.
void run_iteration(Session& session, CallIssuer& issuer, SlotCycle& cycle, const WindowPlan& plan,
                   bool is_last) {
  const bool waits = waits_for_each(session.config().blocking);
  if (!waits) issuer.start_group();
  for (int j = 0; j < plan.agg_iters; ++j) {
    const bool very_last = is_last && j + 1 == plan.agg_iters;
    const auto slot = very_last && plan.last_slot ? *plan.last_slot : cycle.next();
    if (!waits) {
      issuer.add(slot);
      continue;
    }
    issuer.once(slot);
    wait_inner(session, issuer);
  }
  if (!waits) issuer.end_group();
}

// What a thread loses, read outside of what is timed.
class LostTime {
 public:
  explicit LostTime(const Session& session) : session_(session), before_(session.modeled_time()) {}
  std::optional<std::int64_t> ns() const {
    const auto now = session_.modeled_time();
    return now && before_ ? std::optional((*now - *before_).lost_ns()) : std::nullopt;
  }

 private:
  const Session& session_;
  std::optional<ModeledTime> before_;
};

// -z 3: only the spans from the first enqueue to the end of the wait are added up.
WindowTime run_outer_blocking(Session& session, CallIssuer& issuer, const WindowPlan& plan) {
  const Clock& clock = session.clock();
  SlotCycle cycle(plan.sliding_slots);
  WindowTime time;
  for (std::uint64_t i = 0; i < plan.iters; ++i) {
    const LostTime lost(session);
    const auto start_ns = clock.now_ns();
    run_iteration(session, issuer, cycle, plan, i + 1 == plan.iters);
    const auto enqueued_ns = clock.now_ns();
    issuer.synchronize();
    const auto end_ns = clock.now_ns();
    time += {.elapsed_ns = end_ns - start_ns,
             .enqueue_ns = enqueued_ns - start_ns,
             .lost_ns = lost.ns()};
    session.barrier();
  }
  return time;
}

// Aligns the threads, then times the calls.
WindowTime timed_window(Session& session, CallIssuer& issuer, const WindowPlan& plan) {
  session.align();
  if (session.config().blocking == Blocking::outer)
    return run_outer_blocking(session, issuer, plan);
  const Clock& clock = session.clock();
  const LostTime lost(session);
  const auto start_ns = clock.now_ns();
  enqueue_window(session, issuer, plan);
  const auto enqueued_ns = clock.now_ns();
  issuer.synchronize();
  const auto end_ns = clock.now_ns();
  return {
      .elapsed_ns = end_ns - start_ns, .enqueue_ns = enqueued_ns - start_ns, .lost_ns = lost.ns()};
}

// What a thread waits for its core from before the alignment on: between that and the first call
// no system call may be made.
class CoreWaiting {
 public:
  explicit CoreWaiting(const Session& session)
      : session_(session), before_ns_(session.core_wait_ns()) {}
  // At most all of the time that was measured.
  std::optional<std::int64_t> ns(std::int64_t elapsed_ns) const {
    const auto now_ns = session_.core_wait_ns();
    if (!now_ns || !before_ns_) return std::nullopt;
    return std::min(*now_ns - *before_ns_, elapsed_ns);
  }

 private:
  const Session& session_;
  std::optional<std::int64_t> before_ns_;
};

}  // namespace

WindowTime& WindowTime::operator+=(const WindowTime& more) {
  elapsed_ns += more.elapsed_ns;
  enqueue_ns += more.enqueue_ns;
  if (more.lost_ns) lost_ns = lost_ns.value_or(0) + *more.lost_ns;
  if (more.core_wait_ns) core_wait_ns = core_wait_ns.value_or(0) + *more.core_wait_ns;
  return *this;
}

void enqueue_window(Session& session, CallIssuer& issuer, const WindowPlan& plan) {
  SlotCycle cycle(plan.sliding_slots);
  for (std::uint64_t i = 0; i < plan.iters; ++i)
    run_iteration(session, issuer, cycle, plan, i + 1 == plan.iters);
}

WindowTime run_window(Session& session, CallIssuer& issuer, const WindowPlan& plan) {
  const CoreWaiting waiting(session);
  auto time = timed_window(session, issuer, plan);
  time.core_wait_ns = waiting.ns(time.elapsed_ns);
  return time;
}

CapturedWindow::CapturedWindow(Session& session, CallIssuer& issuer, const WindowPlan& plan)
    : session_(session) {
  session.align();
  for (auto& local : session.ranks()) local.stream->begin_capture();
  enqueue_window(session, issuer, plan);
  for (auto& local : session.ranks()) graphs_.push_back(local.stream->end_capture());
}

void CapturedWindow::launch() {
  for (std::size_t i = 0; i < graphs_.size(); ++i) graphs_[i]->launch(*session_.ranks()[i].stream);
}

WindowTime run_launches(Session& session, CallIssuer& issuer, CapturedWindow& captured,
                        int launches) {
  const Clock& clock = session.clock();
  const CoreWaiting waiting(session);
  session.align();
  const auto start_ns = clock.now_ns();
  for (int i = 0; i < launches; ++i) captured.launch();
  const auto enqueued_ns = clock.now_ns();
  issuer.synchronize();
  const auto end_ns = clock.now_ns();
  return {.elapsed_ns = end_ns - start_ns,
          .enqueue_ns = enqueued_ns - start_ns,
          .lost_ns = {},
          .core_wait_ns = waiting.ns(end_ns - start_ns)};
}

}  // namespace linerate
