// Messages for people.
#include "base/log.h"

#include <gtest/gtest.h>

#include <string>

namespace linerate {
namespace {

TEST(Say, WritesOneLineToStandardError) {
  testing::internal::CaptureStderr();

  say("the host backend was chosen");

  EXPECT_EQ(testing::internal::GetCapturedStderr(), "linerate: the host backend was chosen\n");
}

}  // namespace
}  // namespace linerate
