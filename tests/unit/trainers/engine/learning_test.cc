// A small model learns what can be learnt: the loss comes down to the data's entropy, and what only
// attention finds is found. Two ranks train it, so that their gradients have to be right too.
#include "unit/trainers/engine/tiny_training.h"

#include <cstdint>

namespace linerate::trainers {
namespace {

constexpr std::int64_t kLast = 50;  // steps whose mean is judged, so that their tokens vary less

struct Learnt {
  double loss = 0, accuracy = 0;  // of the last steps
  double entropy = 0;
};

struct Course {
  const char* data = "";
  std::uint64_t batch = 0;
  std::int64_t steps = 0;
};

TrainConfig small_training(const Course& course, bool llama) {
  TrainConfig config;
  config.model = {.name = "small",
                  .llama = llama,
                  .layers = 2,
                  .hidden = 64,
                  .heads = 4,
                  .kv_heads = llama ? std::size_t{2} : std::size_t{4},
                  .length = 32,
                  .vocabulary = 32,
                  .mlp = 128};
  config.data = {.data = course.data, .vocabulary = 32, .length = 32, .seed = 1};
  config.batch = course.batch;
  config.steps = course.steps;
  config.schedule = {.peak = 0.01, .warmup_steps = 20, .steps = config.steps};
  config.weight_decay = 0;
  return config;
}

Learnt learnt(const TrainConfig& config) {
  Learnt result{.entropy = (*make_source(config.data))->entropy().value()};
  const auto code = on_trainers(host_threads(2), config, [&](RankContext& rank, Trainer& trainer) {
    for (std::int64_t i = 0; i < config.steps; ++i) {
      const auto step = trainer.step();
      if (!rank.is_first() || i < config.steps - kLast) continue;
      result.loss += step.loss / kLast;
      result.accuracy += step.accuracy / kLast;
    }
  });
  EXPECT_EQ(code, ExitCode::ok);
  return result;
}

class Learning : public ::testing::TestWithParam<bool> {};

TEST_P(Learning, BringsTheLossToTheEntropyOfAMarkovChain) {
  const auto end = learnt(small_training({"markov", 16, 400}, GetParam()));

  EXPECT_LT(end.loss, 1.02 * end.entropy);
  EXPECT_GT(end.loss, 0.98 * end.entropy);  // lower would be a target that the model saw
}

TEST_P(Learning, CopiesWhatOnlyAttentionFinds) {
  const auto end = learnt(small_training({"copy", 8, 300}, GetParam()));

  EXPECT_GT(end.accuracy, 0.99);
}

INSTANTIATE_TEST_SUITE_P(Models, Learning, ::testing::Bool(),
                         [](const auto& style) { return style.param ? "Llama" : "Gpt2"; });

}  // namespace
}  // namespace linerate::trainers
