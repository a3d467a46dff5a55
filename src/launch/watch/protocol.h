// What one process' watch makes of messages, exits and time: deaths, hangs, and one common report.
#pragma once

#include "launch/watch/setup.h"
#include "launch/watch/verdict.h"

#include <poll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

// Used by the watch's thread alone, but for enter(). Losses are passed on at once; the report is
// drawn a moment later, so that all processes know the same losses when they draw it.
class ControlProtocol {
 public:
  // `calls_of(thread)` is how many calls that thread of this process has begun.
  using CallCounts = std::function<std::uint64_t(int thread)>;
  ControlProtocol(ControlParts parts, double timeout_s, CallCounts calls_of);

  void enter(int thread, const Stage& stage);  // any thread

  // What poll() should wait for, and until when (CLOCK_MONOTONIC; nothing: for ever).
  std::vector<pollfd> sources() const;
  std::optional<std::int64_t> next_due_ns() const;
  // After poll() has filled `items`, which sources() yielded; also does what was due at `due_ns`.
  // One that comes much later was stopped itself, as a job is that is suspended: then the time that
  // threads may take begins anew.
  void react(const std::vector<pollfd>& items, std::optional<std::int64_t> due_ns);

  void fail(const std::string& sentence);
  void leave();
  // Every neighbour that still is there has seen that this process leaves.
  bool leave_seen() const;
  bool has_unsent() const;

  // What is known so far, and, once it will not change any more, the report.
  const LostProcesses& losses() const { return losses_; }
  const std::optional<std::vector<LostProcess>>& report() const { return report_; }

  // Of all processes that know of `losses`, one speaks: the lowest that has neither left as planned
  // nor is among them. A process that failed speaks for itself.
  bool speaks_for_all(const std::vector<LostProcess>& losses) const;

 private:
  struct Neighbour {
    ControlLink link;
    Presence presence = Presence::running;
    bool leave_seen = false;
  };
  // How far a thread of this process was when it was last looked at.
  struct Headway {
    std::uint64_t counter = 0;  // stages
    std::uint64_t calls = 0;    // in all stages
    std::int64_t since_ns = 0;  // when it was first seen there
    std::int64_t limit_ns = 0;  // for how long it may stay there; 0: for ever
  };
  // An inquiry of this process or another's, which this one passes on.
  struct Pending {
    int origin = 0;
    std::uint32_t serial = 0;
    int via = -1;  // neighbour towards the origin; -1: this process asked
    std::int64_t began_ns = 0;
    int thread = 0;  // of this process, which waits too long
    Headway headway{};
  };

  void read(Neighbour& neighbour);
  void take(Neighbour& from, const LostMessage& message);
  void take(Neighbour& from, const InquiryMessage& message);
  void take(Neighbour& from, const StatusMessage& message);
  void take(Neighbour& from, const LeaveMessage& message);
  void take(Neighbour& from, const LeaveSeenMessage& message);
  void on_broken(const ControlLink& link);
  void on_exit(int process);
  void lose_node(int node, int reason);
  void lose(const std::vector<LostProcess>& losses, int except = -1);
  void send_to_others(const ControlMessage& message, int except = -1);

  // In inquiry.cc.
  void look_at_threads(std::int64_t now_ns);
  const Headway& look_at(int thread, std::int64_t now_ns);
  void inquire(int thread, std::int64_t now_ns);
  void look_at_inquiry(std::int64_t now_ns);
  void conclude(std::int64_t now_ns);
  std::int64_t shortest_standstill_ns() const;  // REQUIRES: an inquiry of this process
  std::int64_t pending_end_ns() const;          // REQUIRES: pending_
  // The earliest moment at which a thread, as it was last seen, has taken too long.
  std::optional<std::int64_t> first_limit_ns() const;
  std::int64_t standing_since_ns(const Headway& headway) const;
  void notice_own_stop(std::int64_t now_ns, std::optional<std::int64_t> due_ns);
  ProcessStatus own_status(std::int64_t now_ns);

  void draw_report();
  std::vector<ThreadStatus> threads_of(int process, std::int64_t now_ns) const;
  ThreadStatus last_stage(int process) const;
  Presence presence_of(int process) const;
  void say_leave(Presence presence);

  ControlParts parts_;
  double timeout_s_;
  CallCounts calls_of_;
  std::vector<Headway> headways_;  // of this process' threads
  std::vector<Neighbour> neighbours_;
  LostProcesses losses_;
  std::int64_t first_loss_ns_ = 0;
  std::optional<std::vector<LostProcess>> report_;
  std::optional<Pending> pending_;
  std::vector<ProcessStatus> statuses_;  // answers to an inquiry of ours
  std::int64_t others_since_ns_ = 0;     // when a thread made headway, as the last of them say
  std::int64_t looked_ns_ = 0;           // when the threads were last looked at
  std::int64_t resumed_ns_ = 0;          // when this process went on after it was stopped
  std::uint32_t serial_ = 0;
  std::map<int, std::uint32_t> seen_;  // the last inquiry of each origin
  bool left_ = false;
};

}  // namespace linerate
