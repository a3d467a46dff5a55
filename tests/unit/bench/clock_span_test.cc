// Spans of several threads.
#include "bench/clock_span.h"

#include <gtest/gtest.h>

#include <vector>

namespace linerate {
namespace {

TEST(ClockSpans, JoinedLastFromTheFirstBeginningToTheLastEnd) {
  const std::vector<ClockSpan> threads{{.start_ns = 3000, .end_ns = 7000},
                                       {.start_ns = 2000, .end_ns = 5000},
                                       {.start_ns = 4000, .end_ns = 9000}};

  const auto all = joined(threads);

  EXPECT_EQ(all.start_ns, 2000);
  EXPECT_EQ(all.end_ns, 9000);
  EXPECT_EQ(all.us(), 7);
}

TEST(ClockSpans, OfOneThreadStayAsTheyAre) {
  const std::vector<ClockSpan> one{{.start_ns = -3, .end_ns = -1}};

  EXPECT_EQ(joined(one).start_ns, -3);
  EXPECT_EQ(joined(one).end_ns, -1);
}

}  // namespace
}  // namespace linerate
