// The optimizer's state in a file: the same bits as in memory, and counted where it lies.
#include "support/folder.h"
#include "support/sanitized.h"
#include "unit/trainers/engine/tiny_training.h"

#include <filesystem>

namespace linerate::trainers {
namespace {

std::size_t peak(const TinyRun& run, Category category) {
  return run.ranks.front().peaks[static_cast<std::size_t>(category)];
}

// Without masters, and with them.
std::vector<DataType> types() {
  if (kSanitized) return {DataType::bfloat16};
  return {DataType::float32, DataType::bfloat16};
}

// Each step compares bytes in memory and in the file with closed forms (assert_accounting).
TEST(OffloadedOptimizer, HasTheSameBitsAndNoMemoryInEachStage) {
  const TemporaryFolder folder;
  for (const auto type : types())
    for (const auto stage : kEveryStage) {
      SCOPED_TRACE(::testing::Message() << name_of(type) << ", " << static_cast<int>(stage));
      auto config = tiny_training();
      config.type = type;
      config.stage = stage;
      config.deterministic = true;
      const auto in_memory = run_tiny(config, 3);
      config.offload_folder = folder.root();
      const auto in_file = run_tiny(config, 3);

      EXPECT_EQ(in_file.ranks.front().losses, in_memory.ranks.front().losses);
      EXPECT_EQ(in_file.state, in_memory.state);
      EXPECT_GT(peak(in_memory, Category::optimizer), 0u);
      EXPECT_EQ(peak(in_file, Category::optimizer), 0u);
      EXPECT_EQ(peak(in_file, Category::offloaded), peak(in_memory, Category::optimizer));
    }
}

TEST(OffloadedOptimizer, EndsTheRunWhereTheFolderIsNone) {
  auto config = tiny_training();
  config.offload_folder = "/nowhere";

  ::testing::internal::CaptureStderr();
  const auto code = on_trainers(host_threads(1), config, [](RankContext&, Trainer&) {});
  const auto said = ::testing::internal::GetCapturedStderr();

  EXPECT_EQ(code, ExitCode::usage);
  EXPECT_NE(said.find("in a file in '/nowhere': No such file or directory."), std::string::npos)
      << said;
}

}  // namespace
}  // namespace linerate::trainers
