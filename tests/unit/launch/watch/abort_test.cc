// In which order the threads of a process are ended.
#include "launch/solo_bootstrap.h"
#include "launch/watch/watch.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace linerate {
namespace {

TEST(WatchedThreads, AreAllStoppedBeforeOneIsAborted) {
  std::string told;  // by the watch's thread
  std::promise<void> over;
  const auto process = solo_bootstrap();
  const auto watch =
      Watch::start(*process, {.nthreads = 2, .ranks_per_thread = 1, .deadline = Deadline::never()});
  const auto aborter = [&](const char* thread) {
    return Aborter{.stop =
                       [&told, thread] {
                         told += std::string("stop ") + thread + "; ";
                         return true;
                       },
                   .abort =
                       [&told, &over, thread] {
                         told += std::string("abort ") + thread + "; ";
                         if (*thread == 'b') over.set_value();
                       }};
  };
  watch->add_aborter(aborter("a"));
  watch->add_aborter(aborter("b"));

  watch->fail("a call failed");
  over.get_future().wait();

  EXPECT_EQ(told, "stop a; stop b; abort a; abort b; ");
}

}  // namespace
}  // namespace linerate
