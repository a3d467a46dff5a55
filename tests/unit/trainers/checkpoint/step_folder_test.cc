// Which checkpoints a folder shows, keeps and refuses.
#include "trainers/checkpoint/step_folder.h"

#include "unit/trainers/checkpoint/sample.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace linerate::trainers {
namespace {

namespace fs = std::filesystem;
using Steps = std::vector<std::int64_t>;

CheckpointFolder opened(const TemporaryFolder& folder, std::int64_t step = 0) {
  auto opened = CheckpointFolder::open(folder.root(), step);
  EXPECT_TRUE(opened.ok()) << opened.sentence();
  return *std::move(opened);
}

TEST(CheckpointFolder, ShowsAStepOnceItIsComplete) {
  const TemporaryFolder folder;
  auto checkpoints = opened(folder);
  checkpoints.begin(7);
  auto manifest = write_sample_files(partial_folder(folder.root(), 7));
  EXPECT_EQ(steps_in(folder.root()), Steps{});

  checkpoints.commit(manifest, 0);

  EXPECT_EQ(steps_in(folder.root()), Steps{7});
  const auto checkpoint = open_checkpoint(folder.path("step-000007"));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.sentence();
  EXPECT_EQ(checkpoint->manifest.step, 7);
}

TEST(CheckpointFolder, KeepsTheNewestOnes) {
  const TemporaryFolder folder;
  auto checkpoints = opened(folder);
  for (const std::int64_t step : {1, 2, 30})
    write_sample_checkpoint(checkpoints, folder.root(), step);
  EXPECT_EQ(steps_in(folder.root()), (Steps{1, 2, 30}));
  write_sample_checkpoint(checkpoints, folder.root(), 1000000, 2);
  EXPECT_EQ(steps_in(folder.root()), (Steps{30, 1000000}));
  EXPECT_FALSE(fs::exists(partial_folder(folder.root(), 1)));
}

TEST(CheckpointFolder, RemovesNothingBeforeTheNewerOneIsComplete) {
  const TemporaryFolder folder;
  auto checkpoints = opened(folder);
  write_sample_checkpoint(checkpoints, folder.root(), 1);
  checkpoints.begin(2);
  auto manifest = write_sample_files(partial_folder(folder.root(), 2));
  manifest.step = 2;
  std::ofstream(partial_folder(folder.root(), 2) / "manifest.json") << "in the way";
  EXPECT_ANY_THROW(checkpoints.commit(manifest, 1));
  EXPECT_EQ(steps_in(folder.root()), Steps{1});
}

TEST(CheckpointFolder, IsRidOfWhatAKilledRunLeft) {
  const TemporaryFolder folder;
  folder.write("step-000003.partial/rank-00000.bin", "half");
  folder.write("step-000003.partial.mine", "kept");
  folder.write("notes.partial", "kept");
  auto checkpoints = opened(folder);
  EXPECT_FALSE(fs::exists(folder.root() / "step-000003.partial"));
  EXPECT_TRUE(fs::exists(folder.root() / "step-000003.partial.mine"));
  EXPECT_TRUE(fs::exists(folder.root() / "notes.partial"));
}

TEST(CheckpointFolder, IsRefusedWhileAnotherRunHasIt) {
  const TemporaryFolder folder;
  {
    const auto first = opened(folder);
    EXPECT_EQ(CheckpointFolder::open(folder.root(), 0).sentence(),
              "Cannot write checkpoints to '" + folder.root().string() + "': another run does.");
  }
  (void)opened(folder);
}

TEST(CheckpointFolder, IsRefusedWhereItHasLaterSteps) {
  const TemporaryFolder folder;
  {
    auto checkpoints = opened(folder);
    write_sample_checkpoint(checkpoints, folder.root(), 5);
  }
  (void)opened(folder, 5);
  EXPECT_EQ(CheckpointFolder::open(folder.root(), 4).sentence(),
            "Cannot write checkpoints to '" + folder.root().string() +
                "': it holds step 5 already. Go on from there with --resume auto, choose another "
                "folder, or remove it.");
}

TEST(CheckpointFolder, IsRefusedWhereItCannotBeMade) {
  const TemporaryFolder folder;
  folder.write("file", "x");
  EXPECT_EQ(CheckpointFolder::open(folder.path("file"), 0).sentence(),
            "Cannot write checkpoints to '" + folder.path("file") + "': Not a directory.");
}

TEST(StepsIn, AreThoseOfCompleteCheckpointsAlone) {
  const TemporaryFolder folder;
  for (const auto* name : {"step-000004.partial", "step-4", "step-0000004", "step--00004", "step-",
                           "step-000000", "step-99999999999999999999", "other"})
    folder.write(std::string(name) + "/manifest.json", "{}");
  folder.write("step-000005/rank-00000.bin", "");
  EXPECT_EQ(steps_in(folder.root()), Steps{});
  folder.write("step-000004/manifest.json", "{}");
  folder.write("step-1000004/manifest.json", "{}");
  EXPECT_EQ(steps_in(folder.root()), (Steps{4, 1000004}));
  EXPECT_EQ(steps_in(folder.path("nowhere")), Steps{});
}

TEST(OpenCheckpoint, SaysWhichFileIsWrong) {
  const TemporaryFolder folder;
  auto checkpoints = opened(folder);
  write_sample_checkpoint(checkpoints, folder.root(), 7);
  const auto said = [&] { return open_checkpoint(folder.path("step-000007")).sentence(); };
  const auto place = "Cannot resume from '" + folder.path("step-000007");
  std::ofstream(folder.path("step-000007/rank-00001.bin")) << "short";
  EXPECT_EQ(said(), place + "/rank-00001.bin': it has 5 bytes, and its manifest says 144.");
  fs::remove(folder.path("step-000007/rank-00001.bin"));
  EXPECT_EQ(said(), place + "/rank-00001.bin': No such file or directory.");
  std::ofstream(folder.path("step-000007/manifest.json")) << "{}";
  EXPECT_EQ(said(), place + "/manifest.json': it is no manifest of a checkpoint.");
  fs::remove(folder.path("step-000007/manifest.json"));
  EXPECT_EQ(said(), place + "/manifest.json': No such file or directory.");
}

}  // namespace
}  // namespace linerate::trainers
