// Splitting, numbers and wrong choices, with the input that people and scripts really type.
#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace linerate {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Split, KeepsEmptyPieces) {
  EXPECT_THAT(split("a,,b,", ','), ElementsAre("a", "", "b", ""));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split(",", ','), ElementsAre("", ""));
  EXPECT_THAT(split("no separator", ','), ElementsAre("no separator"));
}

TEST(Trim, TakesBlanksOffBothEndsOnly) {
  EXPECT_EQ(trim(" \t a b\r\n"), "a b");
  EXPECT_EQ(trim(" \n"), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Lower, LeavesAllButLettersAlone) { EXPECT_EQ(lower("0x1F Größe"), "0x1f größe"); }

TEST(ParseHex, TakesAllDigitsOrNone) {
  EXPECT_EQ(parse_hex("10de"), 0x10deu);
  EXPECT_EQ(parse_hex("FFFFFFFFFFFFFFFF"), UINT64_MAX);
  for (const auto* text : {"", "0x10", "1g", "-1", " 1", "10000000000000000"})
    EXPECT_EQ(parse_hex(text), std::nullopt) << text;
}

// The values of the authors' own test program.
TEST(Fnv1a, IsThatOfItsAuthors) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325u);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8u);
}

TEST(Join, PutsSeparatorsBetween) {
  const std::array<std::string_view, 3> parts{"a", "b", "c"};

  EXPECT_EQ(join(parts, ", "), "a, b, c");
  EXPECT_EQ(join({}, ", "), "");
}

TEST(ParseInteger, ReadsDecimalHexadecimalAndBinary) {
  EXPECT_EQ(*parse_integer("n", "42"), 42);
  EXPECT_EQ(*parse_integer("n", "-42"), -42);
  EXPECT_EQ(*parse_integer("n", "0x1F"), 31);
  EXPECT_EQ(*parse_integer("n", "-0X10"), -16);
  EXPECT_EQ(*parse_integer("n", "0b101"), 5);
  EXPECT_EQ(*parse_integer("n", "007"), 7);
  EXPECT_EQ(*parse_integer("n", "9223372036854775807"), std::numeric_limits<std::int64_t>::max());
}

TEST(ParseInteger, RefusesEverythingElse) {
  for (const auto* text : {"", "-", "+", "abc", "8k", "1.5", "1e3", " 1", "1 ", "--1", "0x", "0b2",
                           "0xfg", "1,000", "\xff", "0x-1", "-0b"})
    EXPECT_FALSE(parse_integer("n", text)) << text;
  EXPECT_FALSE(parse_integer("n", std::string_view("1\0", 2)));
}

TEST(ParseInteger, SaysWhenANumberIsTooLarge) {
  const auto value = parse_integer("-n", "9223372036854775808");

  ASSERT_FALSE(value);
  EXPECT_EQ(value.sentence(), "-n '9223372036854775808' is too large for a 64-bit integer.");
}

TEST(ParseInteger, NamesTheValueInItsSentence) {
  EXPECT_EQ(parse_integer("-n", "8k").sentence(), "-n '8k' is not a whole number.");
}

TEST(ParseNumber, ReadsDecimalsAndExponents) {
  EXPECT_EQ(*parse_number("x", "1.5"), 1.5);
  EXPECT_EQ(*parse_number("x", "-2e-3"), -2e-3);
  EXPECT_EQ(*parse_number("x", "7"), 7);
}

TEST(ParseNumber, RefusesEverythingElse) {
  for (const auto* text : {"", ".", "1.5x", "inf", "nan", "-inf", "1e999", "0x1p3", " 1", "1,5"})
    EXPECT_FALSE(parse_number("x", text)) << text;
}

TEST(NumberBefore, IsWhatStandsRightBeforeTheUnit) {
  EXPECT_EQ(number_before(" GT/s", "16.0 GT/s PCIe"), 16.0);
  EXPECT_EQ(number_before(" Gb/sec", "400 Gb/sec (4X NDR)"), 400.0);
  EXPECT_EQ(number_before("", "8"), 8.0);
}

TEST(NumberBefore, IsZeroWhereTheTextBeginsOtherwise) {
  for (const char* text : {"", "Unknown", " 16 GT/s", "16 GB/s", "1e999 GT/s"})
    EXPECT_EQ(number_before(" GT/s", text), 0) << text;
}

TEST(NearestMatch, FindsTheChoiceWithFewestEdits) {
  const std::array<std::string_view, 3> choices{"float", "double", "half"};

  EXPECT_EQ(nearest_match("flaot", choices), "float");
  EXPECT_EQ(nearest_match("dubble", choices), "double");
  EXPECT_EQ(nearest_match("half", choices), "half");
}

TEST(NearestMatch, FindsNothingWhereNothingIsNear) {
  const std::array<std::string_view, 2> choices{"float", "double"};

  EXPECT_EQ(nearest_match("quaternion", choices), "");
  EXPECT_EQ(nearest_match("", choices), "");
  EXPECT_EQ(nearest_match("x", choices), "");
}

TEST(NearestMatch, CountsSwappedNeighboursAsOneEdit) {
  const std::array<std::string_view, 2> choices{"host", "mpi"};

  EXPECT_EQ(nearest_match("hots", choices), "host");
  EXPECT_EQ(nearest_match("mip", choices), "mpi");
}

TEST(NearestMatch, KeepsToAThirdOfTheLongerWord) {
  const std::array<std::string_view, 4> choices{"op", "OR", "stop", "1"};

  for (const auto* text : {"foo", "FOO", "ci", "gloo", "-1", "7"})
    EXPECT_EQ(nearest_match(text, choices), "") << text;
  EXPECT_EQ(nearest_match("sto", choices), "stop");
}

TEST(UnknownChoice, ListsTheChoicesAndTheNearest) {
  const std::array<std::string_view, 2> choices{"float", "half"};

  EXPECT_EQ(unknown_choice("data type", "flot", choices),
            "Unknown data type 'flot': choose one of float, half. Did you mean 'float'?");
  EXPECT_THAT(unknown_choice("data type", "zzzzzz", choices),
              testing::Not(HasSubstr("Did you mean")));
}

TEST(PlainText, KeepsWhatIsUtf8) {
  EXPECT_EQ(plain_text("Xeon® 8480 – π \U0001f600"), "Xeon® 8480 – π \U0001f600");
}

TEST(PlainText, HasNoControlCharacters) {
  EXPECT_EQ(plain_text("a\x1b[31m\n\t\x7f"), "a?[31m???");
  EXPECT_EQ(plain_text("\xc2\x9b\xe2\x80\xae"), "??") << "CSI of C1, right-to-left override";
}

TEST(PlainText, IsAlwaysUtf8) {
  EXPECT_EQ(plain_text("\xff\xc3"), "??") << "no lead byte, and one without the rest";
  EXPECT_EQ(plain_text("\xc0\xaf"), "??") << "a slash in two bytes";
  EXPECT_EQ(plain_text("\xed\xa0\x80"), "?") << "a surrogate";
  EXPECT_EQ(plain_text("\xf4\x90\x80\x80"), "?") << "above U+10FFFF";
  EXPECT_EQ(plain_text("\xef\xbf\xbf"), "?") << "U+FFFF, which XML does not allow";
}

TEST(Counted, HasAPlural) {
  EXPECT_EQ(counted(1, "GPU"), "1 GPU");
  EXPECT_EQ(counted(0, "GPU"), "0 GPUs");
  EXPECT_EQ(counted(4, "NVSwitch"), "4 NVSwitches");
  EXPECT_EQ(counted(2, "process"), "2 processes");
}

TEST(ColumnsOf, CountsCharacters) { EXPECT_EQ(columns_of("└─ π"), 4U); }

TEST(Shortened, EndsInAnEllipsisWhereItDoesNotFit) {
  EXPECT_EQ(shortened("mlx5_0", 6), "mlx5_0");
  EXPECT_EQ(shortened("enp65s0f0np0", 8), "enp65s0…");
  EXPECT_EQ(shortened("ππππ", 3), "ππ…");
}

}  // namespace

}  // namespace linerate
