// Nothing waits for ever while a job starts: a thread beside the start answers signals, says for
// whom the process waits, and ends a process that a library keeps beyond the deadline.
//
// Our own waits (net/, store/, tree/, the backends') end by their deadline, with a sentence that
// names who is missing. getaddrinfo, MPI_Init and the set-up of other libraries cannot be ended
// from outside: for these the whole process ends.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace linerate {

// Throws Error that says what lacks where this process cannot open so many files as a start takes.
// With fewer it would wait for connections that the system cannot give it.
void need_descriptors(int nprocesses);

// For whom this process waits, in words that another thread may ask for.
class WaitingFor {
 public:
  // `whom` is called from another thread until the next set(): "rank 1 to come to the store".
  void set(std::function<std::string()> whom);
  // Empty: for nobody, or another process says so.
  std::string text() const;

 private:
  mutable std::mutex mutex_;
  std::function<std::string()> whom_;
};

// The time that this process has run: it stands still while the process is stopped (SIGSTOP), as
// far as somebody who looks ten times a second can tell. Any thread.
class RunningClock final : public Clock {
 public:
  explicit RunningClock(const Clock& clock) : clock_(clock), looked_ns_(clock.now_ns()) {}

  std::int64_t now_ns() const override;
  // Less often than kMaxGapNs means that the process was stopped.
  void look();
  // Nobody looks any more: from now on it goes as `clock` does.
  void let_go();

 private:
  static constexpr std::int64_t kMaxGapNs = 1'000'000'000;

  const Clock& clock_;
  mutable std::mutex mutex_;
  std::int64_t looked_ns_;  // by `clock_`
  std::int64_t ran_ns_ = 0;
  std::int64_t max_gap_ns_ = kMaxGapNs;
};

// Guards the start of one process from its construction to finish(). Used by one thread at a
// time.
class StartGuard {
 public:
  // From the start to the line that says for whom the process waits.
  static constexpr double kNoteAfterS = 5.0;
  // From the deadline to the end of a process that a library keeps: our own waits end in it.
  static constexpr double kLibraryS = 1.5;

  struct Options {
    const Clock& clock;
    std::string name;                     // of the process: "rank 3 (node07)"
    double timeout_s = 0;                 // of the start up to watched()
    bool notes = true;                    // says for whom it waits
    bool silent = false;                  // another process says that the start is interrupted
    std::function<bool()> interrupted{};  // by a signal
    std::function<void(ExitCode, const std::string&)> at_end{};  // keeps what the run has
    std::function<void(std::string_view)> say = linerate::say;
    std::function<void(ExitCode)> exit{};  // null: ::_exit
  };

  explicit StartGuard(Options options);
  ~StartGuard();  // as finish()
  StartGuard(const StartGuard&) = delete;
  StartGuard& operator=(const StartGuard&) = delete;

  WaitingFor& waiting_for() { return waiting_for_; }
  // For the deadlines of the start: a job that is stopped as a whole and resumed goes on.
  const Clock& clock() const { return clock_; }
  // From here on the watch bounds the start.
  void watched();
  // The start is over. Does not return where the guard has begun to end the process.
  void finish();

 private:
  void run();
  bool look();  // false: it has ended the process
  bool interrupted() const;
  void end_interrupted();
  void end(ExitCode code, const std::string& sentence);
  std::string after_wait() const;

  Options options_;
  WaitingFor waiting_for_;
  RunningClock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool finished_ = false;
  bool ended_ = false;  // the process ends
  bool watched_ = false;
  bool noted_ = false;
  std::thread thread_;
};

// "rank 1 (pid 4711), rank 3 (pid 4713)": those that a signal has stopped. Empty: none is, or they
// cannot be seen.
std::string stopped_siblings();

}  // namespace linerate
