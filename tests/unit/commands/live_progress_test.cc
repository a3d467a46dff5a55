// Where the thread that draws the line runs.
#include "commands/live_progress.h"

#include "bench/probe/cores.h"

#include <gtest/gtest.h>

#include <sched.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>

namespace linerate {
namespace {

// How many hardware threads the process's other thread may use; nothing: there is none.
std::optional<int> cores_of_the_other_thread() {
  const auto own = std::to_string(getpid());
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto id = task.path().filename().string();
    cpu_set_t cores;
    if (id != own && sched_getaffinity(std::stoi(id), sizeof cores, &cores) == 0)
      return CPU_COUNT(&cores);
  }
  return std::nullopt;
}

TEST(LiveProgress, DrawsOnAnyCoreThoughTheRankThatStartsItIsBoundToOne) {
  const auto cores = probe::allowed_cores();
  if (cores.size() < 2) GTEST_SKIP() << "this process may use one core only";
  LiveProgress progress(true, "live_progress_test", "results");
  ASSERT_TRUE(probe::pin_to(cores[0]));
  progress.start();

  std::optional<int> found;
  for (int i = 0; i < 1000 && found != static_cast<int>(cores.size()); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    found = cores_of_the_other_thread();
  }
  EXPECT_EQ(found, static_cast<int>(cores.size()));
  ASSERT_TRUE(probe::move_to_any(cores));
}

}  // namespace
}  // namespace linerate
