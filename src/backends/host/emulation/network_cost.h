// What a rank's messages cost on an emulated network, and the wait for it.
//
// The model. A message of B bytes that may start at time s, over links l = 1 … k of bandwidth b(l)
// and latency a(l), takes B / b(l) of each link's free time from s on, and arrives at
//
//   max over l of (end of its share of l)  +  sum over l of a(l),
//
// on idle links s + B / min b + sum a. A step of a schedule reads, then writes. Its reads start
// when
// - this rank and those it touches have entered the call,
// - what it and the steps before it wait for has happened,
// - what it reads of its own results is there.
// They have arrived, and its writes start, no sooner than this rank has heard of all that it waits
// for: with data of the rank it waits for, or else by a signal of that path's latency. The step's
// results are there when its last write has arrived. Steps that need nothing of each other overlap
// as far as links are free.
// An eager payload starts when its sender enters. A large point-to-point message starts when both
// sides have entered, a small one when the sender has.
//
// Times are kept beside the flags; nothing waits for them but the end of a call, until which this
// rank's results are there and its buffers read. So the machine's own work inside a call does not
// add to the emulated time as long as it is over before, and what a rank returns too late is taken
// off its next entry: windows of calls are as long as the network makes them, in the mean.
//
// All times are kept twice: as the file says, and as they would be without what it calls slow, of
// the same calls in the same order. What the two differ by is what was lost to slow links and
// ranks. A machine that cannot keep up loses no less to the one than to the other.
//
// Its limits: local copies and reductions cost what this machine needs for them, hidden as above.
// Links serve first come, first served, not in equal shares, and have no packets, no losses and no
// limit of what waits for them. A path's links are taken each by itself, as if switches could hold
// any amount. Barriers of communicators are free: they serve to measure.
#pragma once

#include "backends/host/emulation/network.h"
#include "backends/host/emulation/shared.h"
#include "backends/host/schedule/compiled.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace linerate::host {

class Team;  // team.h

// By how much a rank is late on the emulated clock, over all communicators that one of its threads
// uses.
struct ClockDebt {
  std::int64_t behind_ns = 0;  // that it returned too late from its last call
  std::int64_t lag_ns = 0;     // that slow links and ranks have kept it since all ranks met
  std::int64_t past_ns = 0;    // the same before
  std::int64_t end_ns = 0;     // of its last call
};

// Of one communicator, whose team asks it at every entry, read of a peer, step and end of a call;
// used by the thread that uses the team. Allocates nothing after construction.
class NetworkCost {
 public:
  // `team` outlives this. REQUIRES: the network holds all its world ranks; EmulationBlocks lie
  // behind the control blocks of the team and of the world. From here on timers of the calling
  // thread are exact to the kernel's best.
  NetworkCost(Team& team, std::shared_ptr<const Network> network, std::shared_ptr<ClockDebt> debt);
  ~NetworkCost();
  NetworkCost(const NetworkCost&) = delete;
  NetworkCost& operator=(const NetworkCost&) = delete;

  // What calls to come are late by is added to `debt`: that of the thread that makes them.
  void charge_to(std::shared_ptr<ClockDebt> debt) { debt_ = std::move(debt); }

  // Begins the next collective call: the first thing in Team::enter.
  void enter();
  // Begins a point-to-point call; yields when.
  ModeledTime begin();

  // Of the current collective call; the peers concerned have been seen.
  // Step `index` of a schedule: before it is announced.
  void add_step(std::uint32_t index, const CompiledSchedule::View& step, std::size_t element_bytes);
  // `bytes` of a peer's buffer, not before both have entered; 0: nothing is asked of it.
  void fetch(int peer, std::size_t bytes);
  // `bytes` that the peer sent when it entered.
  void receive(int peer, std::size_t bytes);
  // What was added so far is step 1, for calls that have no schedule: before they end.
  void record_step();

  // Of the current point-to-point call. Before `message` is posted in its place of the mailbox,
  // which is free again once the one before has arrived.
  void post(Message& message);
  // `message` of `source` is here. `waits`: its sender waits for that.
  void receive(int source, Message& message, bool waits);
  // The receiver has `message`, for which this rank has waited.
  void finish_send(const Message& message) { last_until(message.arrived_at); }
  // As end_call().
  void end_messages();

  // A message that may start then; yields its arrival here.
  ModeledTime arrival(int source, std::size_t bytes, const ModeledTime& start);
  // The current call is not over before.
  void last_until(const ModeledTime& time) { done_ = later(done_, time); }

  // When the current collective call is over, if peers had ended these steps: not before all have
  // entered the one kCells - 1 before, without which there is no cell for it. REQUIRES: the steps
  // are announced.
  ModeledTime end(std::span<const Wait> last) const;
  // Waits until then. Throws Aborted soon after an abort.
  void end_call(std::span<const Wait> last);
  // The same when every peer has done its only step.
  void end_call_of_all() { end_call(everybody_); }

  // All ranks are here: by how much they are late does not matter any more.
  void clear_debt();

  // When this rank's last call ended, and when it would have if nothing in the network's file had
  // ever been slow: on the machine's clock.
  ModeledTime modeled_time() const {
    return {debt_->end_ns, debt_->end_ns - debt_->past_ns - debt_->lag_ns};
  }

 private:
  void add_waits(const CompiledSchedule::View& step, bool moves);
  ModeledTime start_of(const CompiledSchedule::View& step) const;
  ModeledTime transfer(int from, int to, std::size_t bytes, const ModeledTime& start);
  ModeledTime take(std::uint32_t link, std::size_t bytes, const ModeledTime& start);
  Path path(int from, int to) const;
  const ModeledTime& entered_of(int peer) const { return group_.times_of(peer).entered(call_); }
  void finish(const ModeledTime& end);
  void wait_until(std::int64_t time_ns);
  void warn_if_behind() const;

  Team& team_;
  std::shared_ptr<const Network> network_;
  EmulationBlock group_;
  EmulationBlock world_;
  StepTimes own_;
  std::vector<Wait> everybody_;  // one step of each peer
  std::shared_ptr<ClockDebt> debt_;
  std::uint64_t call_ = 0;        // collective calls so far
  ModeledTime entered_{};         // of the current call of either kind
  ModeledTime ready_{};           // when the last that its steps waited for had happened
  ModeledTime signalled_{};       // when it had heard of the last without data
  ModeledTime done_{};            // when all that was added to it has arrived
  std::int64_t emulated_ns_ = 0;  // time of all calls since clear_debt()
  std::int64_t calls_ = 0;        // and their number
};

}  // namespace linerate::host
