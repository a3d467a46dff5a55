// A matrix's text, to the last blank.
#include "output/console_table.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

Matrix pairs() {
  return {.title = "One way (GB/s)",
          .corner = "GPU",
          .unit = "GB/s",
          .rows = {"0", "3"},
          .columns = {"0", "3"},
          .cells = {{{0, 1}, 9.806}, {{1, 0}, 1234.5}}};
}

TEST(Matrix, HasALineForEachRowAndNaWhereNothingWasMeasured) {
  EXPECT_EQ(matrix_text(pairs()),
            "#\n"
            "# One way (GB/s)\n"
            "#  GPU        0        3\n"
            "     0      N/A     9.81\n"
            "     3  1234.50      N/A\n");
}

TEST(Matrix, MakesRoomForLongNames) {
  EXPECT_EQ(matrix_text({.title = "t", .corner = "memory", .rows = {"host"}, .columns = {"1"}}),
            "#\n"
            "# t\n"
            "# memory        1\n"
            "    host      N/A\n");
}

TEST(Matrix, NamesItsExtremesAndItsSum) {
  EXPECT_EQ(extremes_text(pairs()), "# lowest 9.81 GB/s (0 -> 3), highest 1234.50 GB/s (3 -> 0)\n");
  EXPECT_EQ(sum_text(pairs()), "# sum 1244.31 GB/s\n");
}

TEST(Matrix, HasNoExtremesWhereNothingWasMeasured) {
  EXPECT_EQ(extremes_text({}) + sum_text({}), "");
}

}  // namespace

}  // namespace linerate
