// What a step must have sent and what a rank must hold, by closed forms (model/training_bytes.h),
// beside what was counted.
#pragma once

#include "model/training_bytes.h"
#include "trainers/engine/config.h"
#include "trainers/engine/gradients.h"
#include "trainers/engine/plan.h"
#include "trainers/memory/arena.h"
#include "trainers/parallel/axis.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::trainers {

// What one rank sends in a step, and holds between two.
struct Account {
  SentBytes sent{};
  TrainingStateBytes state{};
  std::uint64_t live_bytes = 0;  // of gathered parameters, at most
};

// `plans` are those of the position's chunks.
Account account_of(const TrainConfig& config, const std::vector<const GradientPlan*>& plans,
                   const Position& position);
Account account_of(const TrainConfig& config, const ChunkPlans& chunks, const Position& position);

// Of all axes; `what`: gradient, parameter, the first word of a purpose.
std::uint64_t sent_for(const SentBytes& sent, std::string_view what);

// Nothing, or the sentence that names the first figure that is not as accounted. Calls for metrics
// are no part of the training.
std::optional<std::string> difference(const Account& account, SentBytes sent, const Arena& arena);

}  // namespace linerate::trainers
