// Parts that are done at the same time, also where one cannot be.
#include "bench/survey/together.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <future>
#include <system_error>

namespace linerate {
namespace {

TEST(PartsTogether, AreAllThereWhereOneIs) {
  std::atomic<int> arrived = 0, seen = 0;

  run_together(3, [&](std::size_t, std::barrier<>& together) {
    ++arrived;
    together.arrive_and_wait();
    seen += arrived;
  });

  EXPECT_EQ(seen, 9);
}

// A defect would wait for ever: it ends the program instead.
TEST(PartsTogether, EndWhereAThreadCannotBeStarted) {
  std::atomic<int> done = 0;
  int started = 0;
  const StartThread two_only = [&](std::function<void()> body) {
    if (started++ == 2) throw std::system_error(EAGAIN, std::generic_category());
    return std::jthread(std::move(body));
  };
  auto tried = std::async(std::launch::async, [&] {
    const auto waits = [&](std::size_t, std::barrier<>& together) {
      for (int pass = 0; pass < 3; ++pass) together.arrive_and_wait();
      ++done;
    };
    EXPECT_THROW(run_together(5, waits, two_only), std::system_error);
  });

  if (tried.wait_for(std::chrono::seconds(30)) != std::future_status::ready) std::abort();
  EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace linerate
