// A checkpoint that several ranks write together.
#include "trainers/checkpoint/saver.h"

#include "base/error.h"
#include "support/spawn.h"
#include "unit/trainers/checkpoint/sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace linerate::trainers {
namespace {

using Steps = std::vector<std::int64_t>;

// A rank's slice of the only tensor.
TensorSlice slice_of(int rank) { return {.index = static_cast<std::size_t>(rank) * 8, .count = 8}; }

// Of `values`, which stay.
Snapshot snapshot_of(std::int64_t step, int rank, std::span<const float> values) {
  const auto what = slice_of(rank);
  Snapshot snapshot{.manifest = sample_manifest()};
  snapshot.manifest.step = step;
  snapshot.manifest.tensors = {{.name = "all", .shape = {3, 8}}};
  for (const auto kind : kStateKinds)
    snapshot.parts.push_back({.what = {.kind = kind, .index = what.index, .count = what.count},
                              .bytes = std::as_bytes(values)});
  return snapshot;
}

TEST(Saver, CompletesWhatAllRanksWroteBeforeItTakesMore) {
  const TemporaryFolder folder;
  spawn(3, [&](Bootstrap& bootstrap) {
    const auto values = sample_values(slice_of(bootstrap.rank()));
    Saver saver(bootstrap, {.folder = folder.root(), .keep = 2});
    for (const int step : {1, 2, 3, 4}) {
      saver.poll();
      saver.save([&] {
        if (bootstrap.rank() == 0) {
          EXPECT_EQ(steps_in(folder.root()).size(),
                    static_cast<std::size_t>(std::min(step - 1, 2)));
        }
        return snapshot_of(step, bootstrap.rank(), values);
      });
      saver.poll();
    }
    saver.finish();
  });
  EXPECT_EQ(steps_in(folder.root()), (Steps{3, 4}));
  const auto checkpoint = open_checkpoint(folder.path("step-000004"));
  ASSERT_TRUE(checkpoint.ok()) << checkpoint.sentence();
  EXPECT_EQ(checkpoint->manifest.file_bytes, (std::vector<std::uint64_t>(3, 96)));
  std::vector<float> all(24);
  ChunkReader(checkpoint->folder, checkpoint->manifest)
      .read({.count = 24}, DataType::float32, std::as_writable_bytes(std::span(all)));
  EXPECT_EQ(all, sample_values({.count = 24}));
}

// The second rank writes for long after the first one is done.
TEST(Saver, IsCompleteOnceTheSlowestRankHasWritten) {
  const TemporaryFolder folder;
  constexpr std::size_t kLarge = std::size_t{4} << 20;
  const std::vector<float> values(kLarge);
  spawn(2, [&](Bootstrap& bootstrap) {
    const auto count = bootstrap.rank() == 0 ? 1 : kLarge;
    Snapshot snapshot{.manifest = sample_manifest()};
    snapshot.parts.push_back(
        {.what = {.count = count}, .bytes = std::as_bytes(std::span(values).first(count))});
    Saver saver(bootstrap, {.folder = folder.root()});
    saver.save([&] { return std::move(snapshot); });
    while (steps_in(folder.root()).empty()) {
      saver.poll();
      std::this_thread::yield();
    }
    saver.finish();
  });
  EXPECT_EQ(std::filesystem::file_size(folder.path("step-000007/rank-00001.bin")),
            kLarge * sizeof(float));
}

TEST(Saver, ThrowsWhatARankCouldNotWriteAndKeepsTheOlder) {
  const TemporaryFolder folder;
  EXPECT_THROW(spawn(3,
                     [&](Bootstrap& bootstrap) {
                       const auto values = sample_values(slice_of(bootstrap.rank()));
                       Saver saver(bootstrap, {.folder = folder.root(), .keep = 1});
                       saver.save([&] { return snapshot_of(1, bootstrap.rank(), values); });
                       saver.finish();
                       // A rank twice: its second file is in the way of itself.
                       auto snapshot = snapshot_of(2, bootstrap.rank(), values);
                       if (bootstrap.rank() == 1) snapshot.manifest.step = 1;
                       saver.save([&] { return std::move(snapshot); });
                       saver.finish();
                     }),
               Error);
  EXPECT_EQ(steps_in(folder.root()), Steps{1});
}

TEST(Saver, IsRefusedOnAllRanksWhereTheFolderIs) {
  const TemporaryFolder folder;
  folder.write("file", "x");
  EXPECT_THROW(
      spawn(2, [&](Bootstrap& bootstrap) { Saver(bootstrap, {.folder = folder.path("file")}); }),
      Error);
}

}  // namespace
}  // namespace linerate::trainers
