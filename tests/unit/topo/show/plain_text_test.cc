// Foreign text made safe, measured, broken and cut; names told in short.
#include "topo/show/plain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using testing::ElementsAre;

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

TEST(ColumnsOf, CountsCharacters) { EXPECT_EQ(columns_of("└─ π"), 4U); }

TEST(LinesOf, BreaksAfterBlanksCommasAndHyphens) {
  EXPECT_THAT(lines_of("one two", 10), ElementsAre("one two"));
  EXPECT_THAT(lines_of("one two", 5), ElementsAre("one", "two"));
  EXPECT_THAT(lines_of("0-3,8-11", 4), ElementsAre("0-3,", "8-11"));
  EXPECT_THAT(lines_of("A100-SXM4", 6), ElementsAre("A100-", "SXM4"));
}

TEST(LinesOf, KeepsWordsThatAreLongerThanALine) {
  EXPECT_THAT(lines_of("a longest b", 4), ElementsAre("a", "longest", "b"));
  EXPECT_THAT(lines_of("", 4), ElementsAre(""));
}

TEST(Shortened, EndsInAnEllipsisWhereItDoesNotFit) {
  EXPECT_EQ(shortened("mlx5_0", 6), "mlx5_0");
  EXPECT_EQ(shortened("enp65s0f0np0", 8), "enp65s0…");
  EXPECT_EQ(shortened("ππππ", 3), "ππ…");
}

TEST(NamesInShort, TellsRowsByTheirEnds) {
  EXPECT_EQ(names_in_short({"GPU0", "GPU1", "GPU2", "GPU9", "GPU10"}), "GPU0-GPU2, GPU9, GPU10");
  EXPECT_EQ(names_in_short({"a0", "b1", "b2", "b3"}), "a0, b1-b3");
  EXPECT_EQ(names_in_short({"e09", "e10", "e11"}), "e09, e10, e11") << "e09 has no plain number";
  EXPECT_EQ(names_in_short({}), "");
}

TEST(Counted, HasAPlural) {
  EXPECT_EQ(counted(1, "GPU"), "1 GPU");
  EXPECT_EQ(counted(0, "GPU"), "0 GPUs");
  EXPECT_EQ(counted(4, "NVSwitch"), "4 NVSwitches");
}

}  // namespace
}  // namespace linerate::topo
