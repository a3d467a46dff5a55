// Which bytes count for a rate.
#include "bench/survey/tcp_probe.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

TEST(Arrivals, CountFromTheFirstByteOn) {
  Arrivals arrivals(1'000'000, 1000);
  for (int at_ns = 510; at_ns <= 1500; at_ns += 10) arrivals.note(at_ns, 50);

  EXPECT_NEAR(arrivals.gbps(), 5, 0.1);
}

TEST(Arrivals, DoNotCountWhatComesLate) {
  Arrivals arrivals(0, 1000);
  for (int at_ns = 10; at_ns <= 1000; at_ns += 10) arrivals.note(at_ns, 50);
  arrivals.note(1'000'000, 50);

  EXPECT_DOUBLE_EQ(arrivals.gbps(), 5);
}

// What had waited for a reader that came late did not come at once.
TEST(Arrivals, CountFromTheLatestBeginEvenWhereNobodyLooked) {
  Arrivals arrivals(0, 1000);
  arrivals.note(900, 4500);
  arrivals.note(1000, 500);

  EXPECT_DOUBLE_EQ(arrivals.gbps(), 5);
}

TEST(Arrivals, OfSeveralStreamsAddUp) {
  Arrivals arrivals(0, 1000);
  for (int at_ns = 10; at_ns <= 1000; at_ns += 10)
    for (int stream = 0; stream < 3; ++stream) arrivals.note(at_ns, 50);

  EXPECT_DOUBLE_EQ(arrivals.gbps(), 15);
}

TEST(Arrivals, OfASlowLinkAreAllThatCame) {
  Arrivals arrivals(0, 1000);
  for (const int at_ns : {4000, 8000}) arrivals.note(at_ns, 4000);

  EXPECT_DOUBLE_EQ(arrivals.gbps(), 1);
}

}  // namespace
}  // namespace linerate
