// How many parameters stage 3 has gathered at once: as the closed form says, and as it is allowed.
#include "unit/trainers/engine/tiny_training.h"

#include <algorithm>

namespace linerate::trainers {
namespace {

TrainConfig gathering(std::size_t ahead, std::size_t most) {
  auto config = tiny_training();
  config.model.layers = 5;
  config.stage = Stage::parameters;
  config.gather = {.prefetch = ahead, .max_live_parameters = most};
  config.steps = 2;
  return config;
}

// Of the embeddings, of a block, and of the norm, on two ranks: padded to 32.
constexpr std::size_t kEmbeddings = 1152, kBlock = 7232, kNorm = 64;

std::size_t most_live(const TrainConfig& config) {
  const auto run = run_tiny(config, 2);
  std::size_t most = 0;
  for (const auto& rank : run.ranks)
    most = std::max(most, rank.peaks[static_cast<std::size_t>(Category::live)]);
  return most / sizeof(float);
}

// Each step compares the peak with the closed form too (assert_accounting).
TEST(LiveParameters, AreWithinTheLimitHoweverFarIsGatheredAhead) {
  for (const std::size_t ahead : {0, 1, 9})
    for (const auto most : {kEmbeddings + kBlock, kEmbeddings + 2 * kBlock - 1,
                            kEmbeddings + 2 * kBlock, kEmbeddings + 3 * kBlock + kNorm}) {
      SCOPED_TRACE(::testing::Message() << ahead << " ahead, " << most << " at most");
      const auto live = most_live(gathering(ahead, most));
      EXPECT_LE(live, most);
      EXPECT_GE(live, kEmbeddings + kBlock);
    }
}

TEST(LiveParameters, AreGatheredAheadAsFarAsTheyFit) {
  EXPECT_EQ(most_live(gathering(9, 0)), kEmbeddings + 5 * kBlock + kNorm);
  EXPECT_EQ(most_live(gathering(9, kEmbeddings + 3 * kBlock)), kEmbeddings + 3 * kBlock);
  EXPECT_EQ(most_live(gathering(1, kEmbeddings + 3 * kBlock)), kEmbeddings + 2 * kBlock);
}

TEST(LiveParameters, AreThoseOfTheUnitInUseWhereTheLimitIsLess) {
  EXPECT_EQ(most_live(gathering(3, 1)), kEmbeddings + kBlock);
}

TEST(LiveParameters, HaveNoPartInTheResult) {
  auto config = gathering(0, 0);
  config.deterministic = true;
  const auto one = run_tiny(config, 1);
  config.gather = {.prefetch = 4, .max_live_parameters = kEmbeddings + 2 * kBlock};
  expect_the_same(run_tiny(config, 3), one);
}

}  // namespace
}  // namespace linerate::trainers
