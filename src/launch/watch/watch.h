// Notices dead and hung ranks while the ranks' own threads are busy, and names them.
//
// Each process has one watch, a thread that sleeps in poll(2). A rank's thread writes what it is
// doing into a page of memory that all processes of its node share (page.h), so that it can be read
// after its death too. Watches are linked to at most five others (process.h, link.h). A death
// is seen by a pidfd on the node, and across nodes by a closed connection. A thread that stands
// still beyond its limit makes its watch ask all others what they do (inquiry.cc); who does not
// answer, or is furthest behind, is named (verdict.h). All survivors agree on one report
// (protocol.h), call their aborters and end.
#pragma once

#include "base/clock.h"
#include "comm/bootstrap.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace linerate {

// What a thread is doing, in words for the message: "timed loop", "all_reduce", 1048576, "in
// place".
struct Stage {
  std::string_view
      what;  // static text: initialisation, warm-up, barrier, timed loop, verification …
  std::string_view collective{};
  std::uint64_t bytes = 0;
  std::string_view placement{};
  double timeout_s = 0;     // without a call; 0: the watch's own; infinite: none
  std::uint64_t calls = 0;  // that the thread has begun before, as its call counter counts
};

// What went wrong, once it did. All members of the job that survive agree on `ranks`; one of them
// prints the sentences. No ranks: all hang in the same stage.
struct FailureReport {
  std::vector<int> ranks;  // lost or missing ranks
  std::vector<std::string>
      sentences;  // "rank 1 (node07, pid 4711) died in all_reduce, 1048576 bytes, …"
  bool timed_out = false;
};

// How the calls of a thread are ended. Both must return at once, not throw, and stay callable until
// the watch ends: who ends earlier than the watch lets them share what they need.
struct Aborter {
  // Lets no new call begin; may be null. True where abort() frees what calls under way use: all
  // threads are stopped first, and their threads then have a moment to return.
  std::function<bool()> stop{};
  std::function<void()> abort{};
};

// One of each process. A background thread watches the other processes: a dead one (pidfd on this
// host, socket close and TCP keep-alive across hosts) is noticed within 5 s whatever the timeout.
// Where no rank enters a stage or begins a call for `timeout_s`, the run ends, and the ranks that
// do not answer, that reached the fewest stages, or within one stage began the fewest calls, are
// named as missing. On a failure every aborter is called, on every process; a process whose threads
// have not ended `kGraceS` later is ended by Bootstrap::abort(ExitCode::lost).
class Watch {
 public:
  static constexpr double kGraceS = 3.0;
  static constexpr double kMaxLastRecordsS = 2.0;  // that Options::at_end has

  struct Options {
    double timeout_s = 0;  // -T; 0: only deaths are noticed, but for stages with their own bound
    int nthreads = 1;      // threads of this process
    int ranks_per_thread = 1;
    Deadline deadline;  // of the set-up
    // Asked once, from the watch's thread, when a stage lasts too long and before the aborters are
    // called: what is known beside who is behind. Within a few seconds; empty: nothing.
    std::function<std::string()> hang_report{};
    // Told from a thread of its own, before a process is ended whose threads wait in a library that
    // nothing else ends: why. For files that are to have their last records. Must not throw; has
    // kMaxLastRecordsS.
    std::function<void(const std::string&)> at_end{};
  };

  // Collective over all processes. `process` outlives the watch.
  static std::unique_ptr<Watch> start(Bootstrap& process, const Options& options);
  virtual ~Watch() = default;

  // Thread `thread` begins `stage`. Any thread; tens of nanoseconds; never called inside a timed
  // region.
  virtual void enter(int thread, const Stage& stage) = 0;

  // `aborter` is called at most once, from the watch's thread, when a failure is noticed (at once
  // if one has been).
  virtual void add_aborter(Aborter aborter) = 0;

  // Calls that thread `thread` has begun so far. Asked from the watch's thread when a stage lasts
  // too long, to tell who is behind where all are in one stage. It must not block and not throw,
  // and stay callable until the watch ends.
  virtual void count_calls(int thread, std::function<std::uint64_t()> counter) = 0;

  virtual std::optional<FailureReport> failure() const = 0;

  // This process could not go on: the others are told and end too. On return failure() holds the
  // report, which blames others where they died first: an error may be but the echo of a death.
  virtual void fail(const std::string& sentence) noexcept = 0;

  // This process ends as planned: its exit is no loss. Call before the last Bootstrap call returns.
  virtual void leave() noexcept = 0;
};

}  // namespace linerate
