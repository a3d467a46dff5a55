// Foreign text made safe, measured and cut.
#include "base/plain_text.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

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

TEST(Shortened, EndsInAnEllipsisWhereItDoesNotFit) {
  EXPECT_EQ(shortened("mlx5_0", 6), "mlx5_0");
  EXPECT_EQ(shortened("enp65s0f0np0", 8), "enp65s0…");
  EXPECT_EQ(shortened("ππππ", 3), "ππ…");
}

}  // namespace
}  // namespace linerate
