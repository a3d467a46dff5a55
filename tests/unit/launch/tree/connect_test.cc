// A member that cannot take its children's connections.
#include "base/error.h"
#include "launch/tree/tcp_bootstrap.h"
#include "unit/launch/few_descriptors.h"

#include <gtest/gtest.h>

namespace linerate {
namespace {

constexpr double kWaitS = 0.5;

TEST(ConnectTree, WaitsWithoutSpinningWhereNoDescriptorIsLeft) {
#if defined(LINERATE_ASAN)
  GTEST_SKIP() << "the sanitizers' own checks need descriptors";
#endif
  const SteadyClock clock;
  auto listener = Listener::open({"127.0.0.1", 0});
  const auto child = connect_to(listener.address(), Deadline::after(clock, kWaitS));
  const FewDescriptors none(0);
  const double before_s = cpu_seconds();

  EXPECT_THROW((void)connect_tree({.rank = 0, .nranks = 2}, std::move(listener), std::nullopt,
                                  Deadline::after(clock, kWaitS)),
               TimeoutError);

  EXPECT_LT(cpu_seconds() - before_s, kWaitS / 4);
}

}  // namespace
}  // namespace linerate
