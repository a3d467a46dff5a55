// Moments in UTC and in the time zone of the host.
#include "base/time_text.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace linerate {
namespace {

Moment moment(std::int64_t ms_since_1970) {
  return Moment(std::chrono::milliseconds(ms_since_1970));
}

TEST(TimeText, InUtcHasMilliseconds) {
  EXPECT_EQ(utc_text(moment(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(utc_text(moment(1'714'557'609'007)), "2024-05-01T10:00:09.007Z");
}

TEST(TimeText, InLocalTimeFollowsTheZone) {
  ::setenv("TZ", "XXX-2", 1);  // two hours east of Greenwich
  ::tzset();
  EXPECT_EQ(local_text(moment(1'714'557'609'007)), "2024-05-01 12:00:09");
  ::unsetenv("TZ");
  ::tzset();
}

}  // namespace
}  // namespace linerate
