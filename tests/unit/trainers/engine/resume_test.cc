// A training that goes on from a checkpoint of another layout: as one that was never interrupted,
// to the bit.
#include "base/error.h"
#include "support/folder.h"
#include "trainers/checkpoint/saver.h"
#include "trainers/engine/trainer.h"
#include "unit/trainers/engine/tiny_training.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace linerate::trainers {
namespace {

struct SavedLayout {
  int nranks = 1;
  Stage stage = Stage::none;
  int shard_size = 0;
  std::size_t pp = 1;
  const char* order = "tp-cp-dp-pp";
};

std::ostream& operator<<(std::ostream& out, const SavedLayout& layout) {
  return out << layout.nranks << " ranks, stage " << static_cast<int>(layout.stage)
             << ", groups of " << layout.shard_size << ", pp " << layout.pp << ", " << layout.order;
}

constexpr SavedLayout kLayouts[] = {{1, Stage::none},
                                    {2, Stage::none},
                                    {2, Stage::parameters},
                                    {3, Stage::optimizer},
                                    {4, Stage::gradients},
                                    {4, Stage::parameters},
                                    {4, Stage::parameters, 2},
                                    {2, Stage::none, 0, 2},
                                    {4, Stage::parameters, 0, 2},
                                    {4, Stage::optimizer, 0, 2, "pp-dp"}};
constexpr std::int64_t kSavedStep = 3;

// Whole, in shards, in groups of shards, in stages; or all, 100 pairs, with TRAIN_LAYOUTS=all.
std::vector<SavedLayout> layouts() {
  if (every_layout()) return {std::begin(kLayouts), std::end(kLayouts)};
  return {kLayouts[0], kLayouts[3], kLayouts[6], kLayouts[9]};
}

TrainConfig six_steps() {
  auto config = tiny_training();
  config.steps = 6;
  config.schedule.steps = 6;
  config.deterministic = true;
  return config;
}

// Losses of the steps that ran, and all state at the end.
struct Training {
  std::vector<double> losses;
  TinyState state;
  std::size_t most_checkpoint_bytes = 0;  // of a rank
};

struct Plan {
  TrainConfig config = six_steps();
  std::string folder{};              // of checkpoints
  std::optional<std::int64_t> to{};  // ends after this step, which it saves
  const Checkpoint* from = nullptr;
};

Training train(const SavedLayout& layout, Plan plan) {
  plan.config.stage = layout.stage;
  plan.config.shard_size = layout.shard_size;
  plan.config.pp = layout.pp;
  plan.config.order.axes = layout.order;
  Training training;
  std::mutex mutex;
  const auto body = [&](RankContext& rank, Trainer& trainer) {
    std::optional<Saver> saver;
    if (plan.to) saver.emplace(rank.bootstrap(), SaverOptions{.folder = plan.folder});
    if (plan.from != nullptr) trainer.resume(*plan.from);
    while (trainer.steps_done() < plan.to.value_or(plan.config.steps)) {
      const auto step = trainer.step();
      if (rank.is_first()) training.losses.push_back(step.loss);
    }
    if (saver) {
      auto snapshot = trainer.snapshot();
      (void)trainer.step();  // what is saved is of the step before
      saver->save([&] { return std::move(snapshot); });
      saver->finish();
    }
    const auto snapshot = trainer.snapshot();
    const std::lock_guard lock(mutex);
    add_to(training.state, trainer.table(), snapshot);
    training.most_checkpoint_bytes =
        std::max(training.most_checkpoint_bytes, trainer.arena().bytes(Category::checkpoint).peak);
  };
  EXPECT_EQ(on_trainers(host_threads(layout.nranks), plan.config, body), ExitCode::ok);
  return training;
}

Checkpoint saved_by(const SavedLayout& layout, const Plan& plan) {
  auto saving = plan;
  saving.to = kSavedStep;
  (void)train(layout, saving);
  auto checkpoint = open_checkpoint(step_folder(plan.folder, kSavedStep));
  if (!checkpoint) throw Error(checkpoint.sentence());
  return *std::move(checkpoint);
}

void expect_the_end_of(const Training& whole, const Training& resumed) {
  const std::vector<double> last(whole.losses.begin() + kSavedStep, whole.losses.end());
  EXPECT_EQ(resumed.losses, last);
  EXPECT_EQ(resumed.state, whole.state);
}

TEST(Resume, OnAnyLayoutIsAsIfNeverInterruptedToTheBit) {
  const auto whole = train(kLayouts[0], {});
  ASSERT_EQ(whole.losses.size(), 6u);
  for (const auto& saved : layouts()) {
    const TemporaryFolder folder;
    const auto checkpoint = saved_by(saved, {.folder = folder.root()});
    ASSERT_EQ(checkpoint.manifest.file_bytes.size(), static_cast<std::size_t>(saved.nranks));
    for (const auto& resumed : layouts()) {
      SCOPED_TRACE(::testing::PrintToString(saved) + " -> " + ::testing::PrintToString(resumed));
      expect_the_end_of(whole, train(resumed, {.from = &checkpoint}));
    }
  }
}

TEST(Resume, CastsParametersFromTheMasters) {
  auto config = six_steps();
  config.type = DataType::bfloat16;
  const auto whole = train(kLayouts[0], {.config = config});
  const TemporaryFolder folder;
  const auto checkpoint = saved_by(kLayouts[2], {.config = config, .folder = folder.root()});
  for (const auto& resumed : {kLayouts[0], kLayouts[3], kLayouts[5]}) {
    SCOPED_TRACE(resumed);
    expect_the_end_of(whole, train(resumed, {.config = config, .from = &checkpoint}));
  }
}

// Gradients are too large for float16 until the scale has halved four times, once behind the save.
TEST(Resume, KeepsTheLossScale) {
  auto config = six_steps();
  config.type = DataType::float16;
  config.loss_scale = {.initial = 0x1p22, .hysteresis = 1};
  const auto whole = train(kLayouts[0], {.config = config});
  const TemporaryFolder folder;
  const auto checkpoint = saved_by(kLayouts[2], {.config = config, .folder = folder.root()});

  EXPECT_EQ(checkpoint.manifest.loss_scale, (LossScaleState{.scale = 0x1p19, .overflows = 3}));
  expect_the_end_of(whole, train(kLayouts[3], {.config = config, .from = &checkpoint}));
}

TEST(Resume, EndsWithASentenceWhereAFileIsDamaged) {
  const TemporaryFolder folder;
  const auto checkpoint = saved_by(kLayouts[2], {.folder = folder.root()});
  const auto file = checkpoint.folder / chunk_file_name(1);
  auto bytes = folder.read("step-000003/rank-00001.bin");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 1);
  std::ofstream(file) << bytes;

  ::testing::internal::CaptureStderr();
  const auto code = on_trainers(host_threads(1), six_steps(), [&](RankContext&, Trainer& trainer) {
    trainer.resume(checkpoint);
  });
  const auto said = ::testing::internal::GetCapturedStderr();

  EXPECT_EQ(code, ExitCode::usage);
  EXPECT_NE(said.find("rank-00001.bin' is damaged: the CRC-32 of "), std::string::npos) << said;
}

// A rank copies three times what it steps, and no more than its share of what all have.
TEST(Snapshot, TakesWhatThisRankWritesAndNoMore) {
  const auto table = parameters_of(six_steps().model);
  const auto all = 3 * table.count() * sizeof(float);
  EXPECT_EQ(train({1, Stage::none}, {}).most_checkpoint_bytes, all);
  EXPECT_NEAR(static_cast<double>(train({4, Stage::none}, {}).most_checkpoint_bytes),
              static_cast<double>(all) / 4, 12);
  EXPECT_LE(train({4, Stage::parameters}, {}).most_checkpoint_bytes, all / 4 + 4 * 12 * 64);
  EXPECT_LE(train({4, Stage::gradients, 2}, {}).most_checkpoint_bytes, all / 4 + 4 * 12 * 64);
}

TEST(Difference, NamesTheModelDataBatchAndSeedAndNoLayout) {
  const auto config = six_steps();
  const auto saved = manifest_of(config, parameters_of(config.model));
  const auto said = [&](const auto& change) {
    auto other = config;
    change(other);
    return difference(saved, manifest_of(other, parameters_of(other.model))).value_or("");
  };

  EXPECT_EQ(said([](TrainConfig& c) { c.model.mlp = 48; }),
            "its mlp is 96, and that of this run is 48.");
  EXPECT_EQ(said([](TrainConfig& c) { c.data.data = "copy"; }),
            "its data is markov, and that of this run is copy.");
  EXPECT_EQ(said([](TrainConfig& c) { c.batch = 7; }),
            "its batch is 6, and that of this run is 7.");
  EXPECT_EQ(said([](TrainConfig& c) { c.seed = 2; }), "its seed is 1, and that of this run is 2.");
  EXPECT_EQ(said([](TrainConfig& c) { c.type = DataType::float64; }),
            "its state is float, and that of this run is double.");
  EXPECT_EQ(said([](TrainConfig& c) {
              c.type = DataType::bfloat16;
              c.stage = Stage::parameters;
              c.steps = 1000;
              c.deterministic = false;
            }),
            "");
}

// A matrix that is cut by inputs is a box, not a chunk for each row.
TEST(Snapshot, OfATensorParallelRankHasFewChunks) {
  auto config = tiny_training();
  config.tp = 2;
  const auto code = on_trainers(host_threads(4), config, [&](RankContext&, Trainer& trainer) {
    const auto parameters = trainer.table().parameters.size();
    EXPECT_LE(trainer.snapshot().parts.size(), 3 * std::size(kStateKinds) * parameters);
  });
  EXPECT_EQ(code, ExitCode::ok);
}

TEST(Shares, OfWhatAllHaveAreEvenAndTheWhole) {
  const std::vector<ParameterSlice> slices{
      {.parameter = 0, .count = 10, .flat = 0, .at = 0},
      {.parameter = 1, .index = 5, .count = 1, .flat = 16, .at = 16},
      {.parameter = 2, .count = 12, .flat = 32, .at = 32}};
  for (const std::size_t nranks : {1u, 2u, 3u, 7u, 23u, 40u}) {
    std::vector<std::size_t> flat;
    for (std::size_t rank = 0; rank < nranks; ++rank) {
      std::size_t count = 0;
      for (const auto& slice : share_of_slices(slices, rank, nranks)) {
        EXPECT_EQ(slice.flat, slice.at);
        EXPECT_EQ(slice.index - slices[slice.parameter].index,
                  slice.flat - slices[slice.parameter].flat);
        for (std::size_t i = 0; i < slice.count; ++i) flat.push_back(slice.flat + i);
        count += slice.count;
      }
      EXPECT_LE(count, 23 / nranks + 1);
      EXPECT_GE(count, 23 / nranks);
    }
    EXPECT_EQ(flat, (std::vector<std::size_t>{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  16, 32,
                                              33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43}));
  }
}

}  // namespace
}  // namespace linerate::trainers
