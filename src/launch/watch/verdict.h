// Which ranks are missing when others wait too long, and the sentences that name lost ranks. Pure.
#pragma once

#include "launch/watch/link.h"
#include "launch/watch/process.h"

#include <span>
#include <string>
#include <vector>

namespace linerate {

// The losses that one process knows of.
class LostProcesses {
 public:
  // False when nothing new: the same process is known as lost by a weightier kind, or by the same
  // kind and a lower origin. What is new is to be passed on.
  bool add(const LostProcess& loss);

  bool empty() const { return losses_.empty(); }

  // Only the weightiest kind counts: one that died explains others that failed or are missing. Of
  // missing ranks the lowest origin's view alone counts, in its order; the others are in the order
  // of the processes. The same on every process that knows the same losses.
  std::vector<LostProcess> verdict() const;

 private:
  std::vector<LostProcess> losses_;  // at most one of each (kind, process)
};

// What is known of one process at the end of an inquiry.
struct ProcessStatus {
  bool answered = false;
  bool left = false;                  // ends as planned: not missing
  std::vector<ThreadStatus> threads;  // entered_ns is how long ago; may be known without an answer
  std::vector<int> unlinked;          // neighbours that it cannot ask
};

// All that is known at the end of an inquiry.
struct Inquiry {
  int origin = 0;  // the process that asked
  std::span<const ControlProcess> processes;
  std::span<const ProcessStatus> statuses;  // of each process
};

// Missing are processes that were asked and did not answer (stopped, or on a host that hangs); not
// those that only such a process could have asked. Where all answer, missing are the threads that
// have entered the fewest stages. Where all threads are in the same stage, missing are those that
// have begun the fewest calls in it; where these are equally many too, one LostProcess without
// ranks says so. Never empty.
std::vector<LostProcess> missing_ranks(const Inquiry& inquiry);

// "rank 1 (node07, pid 4711) died during all_reduce, 1048576 bytes, out of place, timed loop"
LostProcess death(const ControlProcess& process, int origin, const ThreadStatus& last);
// `reason` is an errno of the connection.
LostProcess unreachable(const ControlProcess& process, int origin, const ThreadStatus& here,
                        int reason);
// "rank 1 (node07, pid 4711): SENTENCE"
LostProcess own_failure(const ControlProcess& process, const std::string& sentence);

}  // namespace linerate
