// Which layout a training goes on with where ranks are lost.
#include "trainers/engine/replan.h"

#include "trainers/engine/plan.h"

#include <gtest/gtest.h>

#include <string>

namespace linerate::trainers {
namespace {

TrainConfig nano_of(std::size_t tp, std::size_t cp, std::size_t pp) {
  TrainConfig config;
  config.model = *model_named("nano");
  config.tp = tp;
  config.cp = cp;
  config.pp = pp;
  return config;
}

struct Row {
  std::size_t tp, cp, pp;
  int asked, left;
  const char* layout;
};

TEST(Replanned, KeepsTheSharesOfTheModelWhileThereAreRanksForThem) {
  for (const auto& row :
       {Row{1, 1, 1, 8, 7, "tp 1, cp 1, pp 1, dp 7"}, Row{2, 1, 1, 8, 7, "tp 2, cp 1, pp 1, dp 3"},
        Row{2, 1, 2, 8, 7, "tp 2, cp 1, pp 2, dp 1"},
        Row{1, 2, 2, 12, 11, "tp 1, cp 2, pp 2, dp 2"},
        Row{2, 2, 2, 8, 8, "tp 2, cp 2, pp 2, dp 1"}})
    EXPECT_EQ(layout_text(replanned(nano_of(row.tp, row.cp, row.pp), row.asked, row.left)),
              row.layout);
}

TEST(Replanned, ElseUsesMostRanksWithTheLeastOfTheModelOnEach) {
  for (const auto& row :
       {Row{2, 2, 2, 8, 7, "tp 1, cp 1, pp 1, dp 7"}, Row{2, 2, 2, 8, 6, "tp 2, cp 1, pp 1, dp 3"},
        Row{4, 1, 2, 8, 4, "tp 4, cp 1, pp 1, dp 1"}, Row{1, 1, 4, 4, 3, "tp 1, cp 1, pp 1, dp 3"},
        Row{1, 4, 1, 4, 2, "tp 1, cp 2, pp 1, dp 1"}, Row{4, 1, 1, 4, 1, "tp 1, cp 1, pp 1, dp 1"}})
    EXPECT_EQ(layout_text(replanned(nano_of(row.tp, row.cp, row.pp), row.asked, row.left)),
              row.layout);
}

TEST(Replanned, IsLegalWhateverIsLeft) {
  for (const std::size_t tp : {1, 2, 4})
    for (const std::size_t cp : {1, 2, 4})
      for (const std::size_t pp : {1, 2, 4})
        for (const int dp : {1, 2, 3})
          for (const auto* schedule : {"1f1b", "interleaved", "zb-h1"}) {
            auto config = nano_of(tp, cp, pp);
            if (pp > 1) config.pp_schedule = schedule;
            if (config.pp_schedule == "interleaved") config.virtual_stages = 2;
            config.sequence_parallel = tp > 1 && config.pp_schedule != "zb-h1";
            config.stage = Stage::parameters;
            config.shard_size = static_cast<int>(cp);
            const auto asked = static_cast<int>(tp * cp * pp) * dp;
            if (mesh_refusal(config, asked)) continue;
            for (int left = 1; left <= asked; ++left) {
              const auto plan = replanned(config, asked, left);
              EXPECT_EQ(mesh_refusal(plan.config, plan.nranks), std::nullopt);
              EXPECT_GT(2 * plan.nranks, left) << layout_text(plan);
              EXPECT_LE(plan.nranks, left);
            }
          }
}

TEST(Replanned, KeepsTheSizeOfAMicroBatchAndSpreadsMoreOfThem) {
  auto config = nano_of(1, 1, 1);
  config.batch = 16;

  const auto plan = replanned(config, 8, 3);

  EXPECT_EQ(plan.config.batch, 16u);
  EXPECT_EQ(plan.config.micro_batch, 2u);
  EXPECT_EQ(accumulation_text(plan),
            "8 micro-batches of 2 sequences, 3 for 2 of the 3 data-parallel ranks and 2 for the "
            "others");
  EXPECT_EQ(accumulation_text(replanned(config, 8, 4)),
            "8 micro-batches of 2 sequences, 2 for each data-parallel rank");
}

TEST(Replanned, KeepsTheOrderOfAxesAndDropsThatOfRanksThatAreGone) {
  auto config = nano_of(2, 1, 2);
  config.order = {.axes = "pp-tp", .given = {.tp = 2, .pp = 2, .places = {0, 2, 1, 3}}};

  EXPECT_EQ(replanned(config, 4, 4).config.order.given.places.size(), 4u);
  const auto order = replanned(config, 4, 2).config.order;
  EXPECT_TRUE(order.given.places.empty());
  EXPECT_TRUE(order.axes.starts_with("pp-tp-"));
}

TEST(Replanned, SharesAmongAllWhereGroupsOfShardsAreNotWhole) {
  auto config = nano_of(1, 1, 1);
  config.stage = Stage::parameters;
  config.shard_size = 4;

  EXPECT_EQ(replanned(config, 12, 8).config.shard_size, 4);
  EXPECT_EQ(replanned(config, 12, 7).config.shard_size, 0);
}

}  // namespace
}  // namespace linerate::trainers
