// Sizes, times and percentages as people type them.
#include "base/units.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

namespace linerate {
namespace {

TEST(ParseBytes, ReadsPowersOf1024InAnyCaseAndSpelling) {
  EXPECT_EQ(*parse_bytes("-b", "8"), 8u);
  EXPECT_EQ(*parse_bytes("-b", "0"), 0u);
  EXPECT_EQ(*parse_bytes("-b", "8k"), 8192u);
  for (const auto* text : {"1M", "1m", "1MB", "1MiB", "1 MiB", "1024K", "1048576B"})
    EXPECT_EQ(*parse_bytes("-b", text), 1048576u) << text;
  EXPECT_EQ(*parse_bytes("-b", "1.5G"), 1610612736u);
  EXPECT_EQ(*parse_bytes("-b", "2T"), std::size_t{2} << 40);
  EXPECT_EQ(*parse_bytes("-b", ".5K"), 512u);
}

TEST(Bandwidth, IsBytesByTimeAndZeroWithoutTime) {
  EXPECT_DOUBLE_EQ(gbps_of(20'000, 10), 2);
  EXPECT_DOUBLE_EQ(transfer_us(20'000, 2), 10);
  EXPECT_EQ(gbps_of(20'000, 0), 0);
}

TEST(ParseBytes, RefusesWhatIsNoSize) {
  for (const auto* text : {"", "k", "-1", "-0.5K", "1KK", "1P", "8 k b", "1e6", "0x10", "1,000",
                           "1.2.3", "inf", "nan", "8k ;rm", "--8", "1-"})
    EXPECT_FALSE(parse_bytes("-b", text)) << text;
}

TEST(ParseBytes, RefusesFractionsOfAByte) {
  for (const auto* text : {"1.5", "1.0000001K", "0.1K", "1.1M"})
    EXPECT_FALSE(parse_bytes("-b", text)) << text;
  EXPECT_EQ(parse_bytes("-b", "0.1K").sentence(),
            "-b '0.1K' is 102.4 bytes, not a whole number of bytes.");
}

TEST(ParseBytes, RefusesMoreThan2To62) {
  EXPECT_TRUE(parse_bytes("-b", "4194304T"));
  EXPECT_FALSE(parse_bytes("-b", "4194305T"));
  EXPECT_EQ(parse_bytes("-e", "99999999999T").sentence(),
            "-e '99999999999T' is larger than 2^62 bytes.");
}

TEST(ParseSeconds, ReadsUnitsAndTakesBareNumbersForSeconds) {
  EXPECT_DOUBLE_EQ(*parse_seconds("-T", "5"), 5);
  EXPECT_DOUBLE_EQ(*parse_seconds("-T", "5s"), 5);
  EXPECT_DOUBLE_EQ(*parse_seconds("-T", "250ms"), 0.25);
  EXPECT_DOUBLE_EQ(*parse_seconds("-T", "10us"), 1e-5);
  EXPECT_DOUBLE_EQ(*parse_seconds("-T", "2m"), 120);
}

TEST(ParseSeconds, RefusesOtherUnitsAndNegativeTimes) {
  for (const auto* text : {"", "5h", "-1s", "s", "1s2ms", "five"})
    EXPECT_FALSE(parse_seconds("-T", text)) << text;
}

TEST(ParsePercent, NeedsItsSign) {
  EXPECT_DOUBLE_EQ(*parse_percent("ci", "1%"), 0.01);
  EXPECT_DOUBLE_EQ(*parse_percent("ci", "0.5 %"), 0.005);
  for (const auto* text : {"1", "%", "-1%", "1%%", ""}) EXPECT_FALSE(parse_percent("ci", text));
}

TEST(BytesText, CarriesAPrefixOnlyWhereItIsExact) {
  EXPECT_EQ(bytes_text(0), "0 B");
  EXPECT_EQ(bytes_text(1500), "1500 B");
  EXPECT_EQ(bytes_text(1024), "1 KiB");
  EXPECT_EQ(bytes_text(67108864), "64 MiB");
  EXPECT_EQ(bytes_text(std::size_t{1} << 50), "1024 TiB");
}

TEST(AboutBytesText, RoundsToFourFigures) {
  EXPECT_EQ(about_bytes_text(0), "0 B");
  EXPECT_EQ(about_bytes_text(1023), "1023 B");
  EXPECT_EQ(about_bytes_text(13189431296), "12.28 GiB");
  EXPECT_EQ(about_bytes_text(std::size_t{64} << 20), "64 MiB");
}

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
  EXPECT_EQ(local_text_of("2024-05-01T10:00:09.007Z"), "2024-05-01 12:00:09");
  EXPECT_EQ(local_text_of("yesterday"), "yesterday");
  ::unsetenv("TZ");
  ::tzset();
}

}  // namespace

}  // namespace linerate
