// Tokens that are equal, and those that only seem so.
#include "launch/net/frame.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

TEST(Token, IsComparedWhole) {
  EXPECT_TRUE(same_token("", ""));
  EXPECT_TRUE(same_token("secret", "secret"));
  EXPECT_FALSE(same_token("secret", "secreT"));
  EXPECT_FALSE(same_token("secret", "secretsecret"));
  EXPECT_FALSE(same_token("secret", "secre"));
  EXPECT_FALSE(same_token("secret", ""));
  EXPECT_FALSE(same_token("", "secret"));
}

}  // namespace
}  // namespace linerate
