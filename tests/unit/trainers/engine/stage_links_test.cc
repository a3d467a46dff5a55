// Messages between the stages of a pipeline: who gets what, in which order, on which axis.
#include "trainers/engine/stage_links.h"

#include "unit/trainers/engine/tiny_training.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace linerate::trainers {
namespace {

struct PipelineOf {
  int stages = 2, chunks = 1;
  int data = 1;  // ranks of a stage
};

// A rank of a stage, with messages of one number.
struct StageRank {
  StageLinks& links;
  Arena& arena;
  Stream& compute;
  const Position& position;

  int stage() const { return position.stage; }
  void send(int to, std::string_view purpose, int value) {
    auto data = arena.allocate(Category::comm, sizeof(value));
    std::memcpy(data.data(), &value, sizeof(value));
    links.send(to, purpose, std::move(data));
  }
  int received(int from, std::string_view purpose) {
    const auto message = links.receive(from, purpose, sizeof(int));
    compute.wait(message.done);
    compute.synchronize(Deadline::never());
    int value = 0;
    std::memcpy(&value, message.data.data(), sizeof(value));
    return value;
  }
};

void on_stages(const PipelineOf& what, const std::function<void(StageRank&)>& body) {
  auto config = tiny_training();
  config.model.layers = static_cast<std::size_t>(what.stages * what.chunks);
  config.pp = static_cast<std::size_t>(what.stages);
  config.pp_schedule = what.chunks > 1 ? "interleaved" : "1f1b";
  config.virtual_stages = static_cast<std::size_t>(what.chunks);
  const int nranks = what.stages * what.data;
  const Environment environment;
  const auto job = host_threads(nranks);
  const auto code = run_job({.config = job, .environment = environment}, [&](RankContext& rank) {
    const auto position = position_of(config, rank.rank(), nranks);
    Arena arena(rank.world());
    StageLinks links(rank, config, position, rank.stream(), arena);
    StageRank stage{links, arena, rank.stream(), position};
    body(stage);
    links.finish();
    rank.stream().synchronize(Deadline::never());
    rank.barrier();  // nobody's memory goes while others may read it
    return ExitCode::ok;
  });
  ASSERT_EQ(code, ExitCode::ok);
}

TEST(StageLinks, PassActivationsOnAndGradientsBack) {
  constexpr int kStages = 4;
  on_stages({.stages = kStages}, [](StageRank& rank) {
    const int stage = rank.stage();
    int value = stage > 0 ? rank.received(stage - 1, kActivations) + 1 : 1;
    EXPECT_EQ(value, stage + 1);
    if (stage + 1 < kStages) {
      rank.send(stage + 1, kActivations, value);
      value = rank.received(stage + 1, kSlopes) * 2;
    }
    if (stage > 0) rank.send(stage - 1, kSlopes, value);
    if (stage == 0) {
      EXPECT_EQ(value, kStages * 8);
    }
  });
}

TEST(StageLinks, ArriveInTheOrderInWhichTheyWereSent) {
  on_stages({}, [](StageRank& rank) {
    for (int value = 0; value < 20; ++value) {
      if (rank.stage() == 0) rank.send(1, kActivations, value);
      if (rank.stage() == 1) {
        EXPECT_EQ(rank.received(0, kActivations), value);
      }
    }
  });
}

TEST(StageLinks, KeepTheHeadsMessagesApartFromActivations) {
  on_stages({}, [](StageRank& rank) {
    if (rank.stage() == 0) {
      rank.send(1, kActivations, 1);
      rank.send(1, kTiedTable, 2);
      EXPECT_EQ(rank.received(1, kTiedGradient), 3);
    } else {  // in the other order
      EXPECT_EQ(rank.received(0, kTiedTable), 2);
      EXPECT_EQ(rank.received(0, kActivations), 1);
      rank.send(0, kTiedGradient, 3);
    }
  });
}

TEST(StageLinks, AreAmongTheRanksOfOnePipeline) {
  on_stages({.stages = 3, .data = 2}, [](StageRank& rank) {
    const int own = 10 * rank.position.data_rank;
    EXPECT_EQ(rank.links.all().nranks(), 3);
    EXPECT_EQ(rank.links.all().rank(), rank.stage());
    if (rank.stage() < 2) rank.send(rank.stage() + 1, kActivations, own + rank.stage());
    if (rank.stage() > 0) {
      EXPECT_EQ(rank.received(rank.stage() - 1, kActivations), own + rank.stage() - 1);
    }
  });
}

// Of several chunks of layers, the last stage hands on to the first one.
TEST(StageLinks, GoAroundWhereStagesHaveChunks) {
  on_stages({.stages = 3, .chunks = 2}, [](StageRank& rank) {
    if (rank.stage() == 2) rank.send(0, kActivations, 7);
    if (rank.stage() == 0) {
      EXPECT_EQ(rank.received(2, kActivations), 7);
    }
    if (rank.stage() == 0) rank.send(2, kSlopes, 8);
    if (rank.stage() == 2) {
      EXPECT_EQ(rank.received(0, kSlopes), 8);
    }
  });
}

TEST(StageLinks, HaveAnAxisForEachWayAndOneForSums) {
  on_stages({.stages = 3}, [](StageRank& rank) {
    std::set<std::string> titles;
    for (auto* axis : rank.links.axes()) titles.insert(axis->title());
    const int other = 2 - rank.stage();
    const std::set<std::string> end{"pp", "pp to stage 1", "pp from stage 1",
                                    fmt::format("pp to stage {}, head", other),
                                    fmt::format("pp from stage {}, head", other)};
    const std::set<std::string> middle{"pp", "pp to stage 0", "pp from stage 0", "pp to stage 2",
                                       "pp from stage 2"};
    EXPECT_EQ(titles, rank.stage() == 1 ? middle : end);
  });
}

}  // namespace
}  // namespace linerate::trainers
