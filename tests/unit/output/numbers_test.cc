// Numbers as parsers can read them.
#include "output/numbers.h"

#include <gtest/gtest.h>

#include <limits>

namespace linerate {
namespace {

TEST(Fitted, GivesUpDecimalsBeforeItWidens) {
  EXPECT_EQ(fitted(1.5, 7), "   1.50");
  EXPECT_EQ(fitted(1284.81, 7), "1284.81");
  EXPECT_EQ(fitted(49967.24, 7), "49967.2");
  EXPECT_EQ(fitted(100370.3, 7), " 100370");
  EXPECT_EQ(fitted(1234567, 7), "1234567");
  EXPECT_EQ(fitted(12345678.4, 7), "12345678");
  EXPECT_EQ(fitted(0.004, 6), "  0.00");
}

TEST(Fitted, CountsTheDigitThatRoundingAdds) {
  EXPECT_EQ(fitted(9999.994, 7), "9999.99");
  EXPECT_EQ(fitted(9999.996, 7), "10000.0");
  EXPECT_EQ(fitted(999999.97, 7), "1000000");
}

TEST(Fitted, NeverTakesAnExponent) {
  for (double value = 1e-9; value < 1e19; value *= 7.3)
    EXPECT_EQ(fitted(value, 6).find_first_not_of(" 0123456789."), std::string::npos) << value;
}

TEST(Plain, HasSixSignificantDigitsAndNoTrailingZeros) {
  EXPECT_EQ(plain(220.9214), "220.921");
  EXPECT_EQ(plain(0), "0");
  EXPECT_EQ(plain(5), "5");
  EXPECT_EQ(plain(100), "100");
  EXPECT_EQ(plain(0.5), "0.5");
  EXPECT_EQ(plain(0.0123456789), "0.0123457");
}

TEST(Plain, NeverTakesAnExponent) {
  EXPECT_EQ(plain(0.0000123), "0.0000123");
  EXPECT_EQ(plain(12345678), "12345678");
  EXPECT_EQ(plain(999999.7), "1000000");
  EXPECT_EQ(plain(1e-30), "0");
}

TEST(MemoryText, KeepsThreeDigits) {
  EXPECT_EQ(memory_text(0), "0.00 B");
  EXPECT_EQ(memory_text(1023), "1023 B");
  EXPECT_EQ(memory_text(1536), "1.50 KB");
  EXPECT_EQ(memory_text(50u << 20), "50.0 MB");
  EXPECT_EQ(memory_text(std::uint64_t{128} << 30), "128 GB");
  EXPECT_EQ(memory_text(std::uint64_t{5} << 40), "5120 GB");
}

TEST(DurationText, NamesTheTwoLargestUnits) {
  EXPECT_EQ(duration_text(9.4), "9 s");
  EXPECT_EQ(duration_text(125), "2 min 5 s");
  EXPECT_EQ(duration_text(3600 + 3 * 60 + 59), "1 h 3 min");
  EXPECT_EQ(duration_text(-1), "0 s");
}

}  // namespace
}  // namespace linerate
