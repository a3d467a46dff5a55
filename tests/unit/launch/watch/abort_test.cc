// In which order the lanes of a process are ended.
#include "launch/solo_bootstrap.h"
#include "launch/watch/watch.h"

#include <gtest/gtest.h>

#include <future>
#include <string>

namespace linerate {
namespace {

TEST(WatchedLanes, AreAllStoppedBeforeOneIsAborted) {
  std::string told;  // by the watch's thread
  std::promise<void> over;
  const auto process = solo_bootstrap();
  const auto watch =
      Watch::start(*process, {.nlanes = 2, .ranks_per_lane = 1, .deadline = Deadline::never()});
  const auto aborter = [&](const char* lane) {
    return Aborter{.stop =
                       [&told, lane] {
                         told += std::string("stop ") + lane + "; ";
                         return true;
                       },
                   .abort =
                       [&told, &over, lane] {
                         told += std::string("abort ") + lane + "; ";
                         if (*lane == 'b') over.set_value();
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
