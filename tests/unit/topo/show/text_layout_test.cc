// Trees drawn with lines, text broken into lines, and names in short.
#include "topo/show/text_layout.h"

#include "base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

Branch sample() {
  return {"root",
          Tone::strong,
          {{"first"}, {"second"}},
          {{"a", Tone::plain, {{"of a"}}, {{"under a", Tone::plain, {}, {}}}},
           {"longer", Tone::gpu, {{"one"}, {"two"}, {"bad", Tone::bad}}, {}}}};
}

TEST(Outline, AlignsTheFactsOfSiblings) {
  EXPECT_EQ(outline_text(sample(), {}),
            "root  first · second\n"
            "├─ a       of a\n"
            "│  └─ under a\n"
            "└─ longer  one · two · bad\n");
}

TEST(Outline, BreaksBetweenFactsAndWithinLongOnes) {
  const Branch root{"root",
                    Tone::plain,
                    {},
                    {{"a",
                      Tone::plain,
                      {{"0123456789 0123456789"}, {"0123456789 0123456789"}},
                      {{"b", Tone::plain, {}, {}}}}}};

  EXPECT_EQ(outline_text(root, {.width = 30}),
            "root\n"
            "└─ a  0123456789 0123456789\n"
            "   │  0123456789 0123456789\n"
            "   └─ b\n");
}

TEST(Outline, StaysInItsWidth) {
  Branch root{"root", Tone::plain, {{"many short words that go to the next line"}}, {}};
  for (int i = 0; i < 5; ++i)
    root.children.push_back(
        {"label", Tone::plain, {{"a fact"}, {"another fact"}, {"yet one more"}}, root.children});

  for (const auto& line : split(outline_text(root, {.width = 60}), '\n'))
    EXPECT_LE(columns_of(line), 60U) << line;
}

TEST(Outline, IsColouredOnlyWhereAsked) {
  EXPECT_EQ(outline_text(sample(), {}).find('\x1b'), std::string::npos);

  const auto colored = outline_text(sample(), {.color = true});

  EXPECT_NE(colored.find("\x1b[1;32mlonger\x1b[0m"), std::string::npos);
  EXPECT_NE(colored.find("\x1b[1;31mbad\x1b[0m"), std::string::npos);
}

TEST(Outline, BreaksAtTheSamePlacesInColour) {
  const auto plain = outline_text(sample(), {.width = 30});
  const auto colored = outline_text(sample(), {.color = true, .width = 30});

  EXPECT_EQ(split(plain, '\n').size(), split(colored, '\n').size());
}

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

}  // namespace
}  // namespace linerate::topo
