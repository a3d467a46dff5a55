// What a rank of a layout holds, by the closed forms that the trainers are held to
// (trainers/engine/accounting.h, trainers/model/activations.cc), and the parts in which its state
// is communicated.
#pragma once

#include "model/training_bytes.h"
#include "trainers/engine/config.h"
#include "trainers/engine/plan.h"

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

namespace linerate::plan {

struct MemoryParts {
  std::uint64_t parameters = 0, gradients = 0, optimizer = 0;
  std::uint64_t gathered = 0;     // parameters of stage 3, at most
  std::uint64_t activations = 0;  // of all micro-batches that the schedule has under way
  // What the arena holds for a while besides: one bucket of whole gradients, keys and values of
  // other ranks, rows that are gathered.
  std::uint64_t scratch = 0;

  std::uint64_t total() const {
    return parameters + gradients + optimizer + gathered + activations + scratch;
  }
};

// Of a chunk's parameters: elements of each reduction, the last one's first, and of each unit.
struct ChunkState {
  std::vector<std::uint64_t> buckets{}, units{};
};
struct StageState {
  TrainingStateBytes held{};
  std::uint64_t live_bytes = 0;
  std::uint64_t owned = 0;  // elements that a rank steps
  std::vector<ChunkState> chunks{};
};

// Asks the trainers' closed forms, each question once. Used by one thread.
class MemoryModel {
 public:
  explicit MemoryModel(int nranks) : nranks_(nranks) {}

  // Of the stage's first rank. REQUIRES: mesh_refusal() has none.
  const StageState& state(const trainers::TrainConfig& config, int stage);
  MemoryParts of_stage(const trainers::TrainConfig& config, int stage);
  // Of the stage that holds most: the first or the last one, which have the model's ends.
  MemoryParts most(const trainers::TrainConfig& config);

 private:
  using Key = std::array<std::size_t, 7>;
  using HeldKey = std::tuple<std::string, std::size_t, std::size_t, std::size_t, int>;

  trainers::HeldMicroBatches held(const trainers::TrainConfig& config, int stage,
                                  std::size_t chunk);

  const int nranks_;
  std::map<Key, StageState> states_;
  std::map<HeldKey, std::vector<trainers::HeldMicroBatches>> held_;
};

// Micro-batches of a step, of the rank that has most.
std::uint64_t rounds_of(const trainers::TrainConfig& config, const trainers::Position& position);
// The same layout with as few micro-batches as make its schedule reach a steady state; itself where
// it has no more.
trainers::TrainConfig shortened(const trainers::TrainConfig& config, int nranks,
                                std::uint64_t rounds);
// Micro-batches after which a schedule of such a pipeline repeats itself.
std::uint64_t steady_rounds(const trainers::TrainConfig& config);

}  // namespace linerate::plan
