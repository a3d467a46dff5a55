// In which order the threads of a process are ended, and the process when they do not end.
#include "launch/solo_bootstrap.h"
#include "launch/watch/watch.h"
#include "unit/launch/forked_job.h"

#include <gmock/gmock.h>
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

TEST(WatchedThreads, ThatNothingEndsLeaveTimeForTheLastRecords) {
  ForkedJob job({0}, [](TestMember& member) {
    const auto watch = Watch::start(member.bootstrap(),
                                    {.deadline = Deadline::never(),
                                     .at_end = [&](const std::string& why) { member.tell(why); }});
    watch->fail("a call failed");
    member.await();  // for ever, as in a library
    return 0;
  });

  EXPECT_THAT(job.heard(0), testing::HasSubstr("a call failed"));
  EXPECT_EQ(job.ended(0), static_cast<int>(ExitCode::lost));
}

}  // namespace
}  // namespace linerate
