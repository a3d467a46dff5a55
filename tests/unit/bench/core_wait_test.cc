// What the kernel says of a thread that waited for a core.
#include "bench/session.h"

#include <gtest/gtest.h>

#include <thread>

namespace linerate {
namespace {

TEST(CoreWait, IsTheSecondNumberOfSchedstat) {
  EXPECT_EQ(run_delay_ns("131355 3153608 2\n"), 3'153'608);
  EXPECT_EQ(run_delay_ns("0 0 0\n"), 0);
}

TEST(CoreWait, IsUnknownWhereTheTextIsAnother) {
  for (const auto* text : {"", "131355", "131355 ", "131355 x 2", "1 -5 2"})
    EXPECT_EQ(run_delay_ns(text), std::nullopt) << text;
}

// Each thread has a count of its own, which never falls.
TEST(CoreWait, IsThatOfTheThreadWhichMadeIt) {
  const CoreWait mine;
  const auto before_ns = mine.ns();
  if (!before_ns) GTEST_SKIP() << "this kernel counts no waiting for cores";
  std::optional<std::int64_t> others_ns;

  std::thread([&] { others_ns = CoreWait().ns(); }).join();

  EXPECT_GE(*mine.ns(), *before_ns);
  EXPECT_TRUE(others_ns.has_value());
}

}  // namespace
}  // namespace linerate
