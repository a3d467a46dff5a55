// A small training on threads of the host backend, and what its ranks end with.
#pragma once

#include "base/environment.h"
#include "devices/cpu/math/cpu_math.h"
#include "job/job.h"
#include "support/sanitized.h"
#include "trainers/engine/trainer.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::trainers {

// Whether each layout is tried, for minutes, or some for a fast look: TRAIN_LAYOUTS=all says so.
inline bool every_layout() {
  const char* const wanted = std::getenv("TRAIN_LAYOUTS");
  return !kSanitized && wanted != nullptr && std::string_view(wanted) == "all";
}

inline constexpr Stage kEveryStage[] = {Stage::none, Stage::optimizer, Stage::gradients,
                                        Stage::parameters};

// Ragged on purpose: nothing divides evenly.
inline TrainConfig tiny_training(bool llama = false) {
  TrainConfig config;
  config.model = {.name = "tiny",
                  .llama = llama,
                  .layers = 2,
                  .hidden = 24,
                  .heads = 6,
                  .kv_heads = llama ? std::size_t{2} : std::size_t{6},
                  .length = 11,
                  .vocabulary = 37,
                  .mlp = llama ? std::size_t{40} : std::size_t{96}};
  config.data = {.data = "markov", .vocabulary = 37, .length = 11, .seed = 1};
  config.batch = 6;
  config.steps = 3;
  config.schedule = {.peak = 0.01, .steps = 3};
  config.assert_accounting = true;
  config.buckets = {.first_bytes = 4096, .bytes = 16384};
  return config;
}

// What one rank saw of each step, and how much memory it had at most.
struct TinyRank {
  std::vector<std::uint64_t> losses, norms;  // bits, so that a NaN is itself
  std::vector<double> accuracies;
  std::vector<bool> skipped;
  double loss_scale = 0;  // after the last step
  std::array<std::size_t, kCategories> peaks{};
};

// Whole parameters and moments, as bytes by kind and parameter.
using TinyState = std::map<std::pair<StateKind, std::size_t>, std::vector<std::byte>>;

// All ranks, and all state at the end.
struct TinyRun {
  std::vector<TinyRank> ranks;
  TinyState state;
};

struct TinyHooks {
  std::function<std::unique_ptr<Math>(int rank)> math{};  // null: the CPU's
  const Source* source = nullptr;                         // null: of the configuration
};

inline JobConfig host_threads(int nranks) { return {.nthreads = nranks, .backend = "host"}; }

// Runs `body` with each rank's trainer; ranks are threads.
inline ExitCode on_trainers(const JobConfig& job, const TrainConfig& config,
                            const std::function<void(RankContext&, Trainer&)>& body,
                            const TinyHooks& hooks = {}) {
  const Environment environment;
  const auto own = make_source(config.data);
  const Source& source = hooks.source != nullptr ? *hooks.source : **own;
  return run_job({.config = job, .environment = environment}, [&](RankContext& rank) {
    const auto math = hooks.math ? hooks.math(rank.rank()) : make_cpu_math();
    Trainer trainer(rank, config, source, *math);
    body(rank, trainer);
    return ExitCode::ok;
  });
}

// What a rank has of it.
inline void add_to(TinyState& state, const ParameterTable& table, const Snapshot& snapshot) {
  for (const auto& part : snapshot.parts) {
    const auto element = bytes_of(part.type);
    auto& values = state[{part.what.kind, part.what.tensor}];
    values.resize(table.parameters[part.what.tensor].whole_count() * element);
    const auto columns = snapshot.manifest.tensors[part.what.tensor].columns();
    for (const auto& box : boxes_of(part.what, columns))
      for (auto row = box.row; row < box.row + box.rows; ++row)
        std::memcpy(&values[(row * columns + box.column) * element],
                    &part.bytes[part.what.at(row, box.column, columns) * element],
                    box.columns * element);
  }
}

inline TinyRank trained(Trainer& trainer, std::int64_t steps) {
  TinyRank ends;
  while (trainer.steps_done() < steps) {
    const auto step = trainer.step();
    ends.losses.push_back(std::bit_cast<std::uint64_t>(step.loss));
    ends.norms.push_back(std::bit_cast<std::uint64_t>(step.norm));
    ends.accuracies.push_back(step.accuracy);
    ends.skipped.push_back(step.skipped);
  }
  for (std::size_t i = 0; i < kCategories; ++i)
    ends.peaks[i] = trainer.arena().bytes(static_cast<Category>(i)).peak;
  return ends;
}

inline TinyRun run_tiny(const TrainConfig& config, int nranks, const TinyHooks& hooks = {}) {
  TinyRun run;
  run.ranks.resize(static_cast<std::size_t>(nranks));
  std::mutex mutex;
  const auto train = [&](RankContext& rank, Trainer& trainer) {
    auto ends = trained(trainer, config.steps);
    const auto snapshot = trainer.snapshot();
    ends.loss_scale = snapshot.manifest.loss_scale.scale;
    const std::lock_guard lock(mutex);
    run.ranks[static_cast<std::size_t>(rank.rank())] = std::move(ends);
    add_to(run.state, trainer.table(), snapshot);
  };
  const auto code = on_trainers(host_threads(nranks), config, train, hooks);
  if (code != ExitCode::ok) throw std::runtime_error("the training ended before its last step");
  return run;
}

// Of each step.
inline std::vector<double> losses_of(const TinyRun& run) {
  std::vector<double> losses;
  for (const auto bits : run.ranks.front().losses) losses.push_back(std::bit_cast<double>(bits));
  return losses;
}

inline void expect_equal_on_all_ranks(const TinyRun& run) {
  for (const auto& rank : run.ranks) {
    EXPECT_EQ(rank.losses, run.ranks.front().losses);
    EXPECT_EQ(rank.norms, run.ranks.front().norms);
    EXPECT_EQ(rank.accuracies, run.ranks.front().accuracies);
    EXPECT_EQ(rank.skipped, run.ranks.front().skipped);
    EXPECT_EQ(rank.loss_scale, run.ranks.front().loss_scale);
  }
}

inline void expect_within_rounding(const std::vector<double>& losses,
                                   const std::vector<double>& one) {
  ASSERT_EQ(losses.size(), one.size());
  for (std::size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(losses[i], one[i], 1e-5);
}

inline void expect_the_same(const TinyRun& run, const TinyRun& one) {
  expect_equal_on_all_ranks(run);
  EXPECT_EQ(run.ranks.front().losses, one.ranks.front().losses);
  EXPECT_EQ(run.ranks.front().norms, one.ranks.front().norms);
  EXPECT_EQ(run.ranks.front().accuracies, one.ranks.front().accuracies);
  EXPECT_EQ(run.state, one.state);
}

}  // namespace linerate::trainers
