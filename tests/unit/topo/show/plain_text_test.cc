// Text broken into lines; names told in short.
#include "topo/show/text_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using testing::ElementsAre;

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
