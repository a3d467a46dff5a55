// Bodies and looks shared by the tests of the watch.
#pragma once

#include "launch/net/address.h"
#include "launch/watch/watch.h"
#include "unit/launch/forked_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

namespace linerate {

inline constexpr Stage kTimedLoop{.what = "timed loop",
                                  .collective = "all_reduce",
                                  .bytes = 1048576,
                                  .placement = "out of place"};

inline std::unique_ptr<Watch> start_watch(TestMember& member, double timeout_s = 0) {
  return Watch::start(member.bootstrap(), {.timeout_s = timeout_s,
                                           .nthreads = 1,
                                           .ranks_per_thread = 1,
                                           .deadline = Deadline::never()});
}

// "ranks 1,2; timed_out false; SENTENCE; SENTENCE"
inline std::string text_of(const FailureReport& report) {
  return fmt::format("ranks {}; timed_out {}; {}", fmt::join(report.ranks, ","), report.timed_out,
                     fmt::join(report.sentences, "; "));
}

// Until the watch calls this process' aborter; yields what it reports then.
inline std::string await_failure(Watch& watch) {
  const auto aborted = std::make_shared<std::promise<void>>();
  watch.add_aborter({.abort = [aborted] { aborted->set_value(); }});
  aborted->get_future().wait();
  return text_of(watch.failure().value());
}

// Enters the timed loop, says so, and waits for a failure.
inline int wait_in_timed_loop(TestMember& member, double timeout_s = 0) {
  const auto watch = start_watch(member, timeout_s);
  watch->enter(0, kTimedLoop);
  member.tell("ready");
  member.tell(await_failure(*watch));
  return 4;
}

// What the processes `ranks` tell next.
inline std::vector<std::string> heard(const ForkedJob& job, const std::vector<int>& ranks) {
  std::vector<std::string> texts;
  for (const int rank : ranks) texts.push_back(job.heard(rank));
  return texts;
}

inline int lines_of(const std::string& text) {
  return static_cast<int>(std::ranges::count(text, '\n'));
}

inline bool has_network() { return !interface_addresses().empty(); }

}  // namespace linerate
