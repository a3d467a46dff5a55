// Batches: enough calls in a sample that its clock reads do not count.
#include "bench/sampling.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

TEST(BatchFor, IsOneWhereTheClockCostsNothingOrTheCallIsLong) {
  EXPECT_EQ(batch_for(10.0, 25.0), 1);
  EXPECT_EQ(batch_for(1.0, 0.0), 1);
  EXPECT_EQ(batch_for(0.0, 25.0), 1);
}

TEST(BatchFor, KeepsClockReadsWithinTwoPercentOfASample) {
  const int batch = batch_for(0.05, 25.0);

  EXPECT_GE(0.02 * 0.05 * batch, 0.025 - 1e-12);
  EXPECT_EQ(batch, 25);
}

}  // namespace
}  // namespace linerate
