// All layouts of so many ranks that the trainers would run: (tp, cp, pp, dp) x schedule and virtual
// stages x stage of ZeRO x micro-batch x sequence parallelism x method of context parallelism.
#pragma once

#include "trainers/engine/config.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace linerate::plan {

struct Layouts {
  std::vector<trainers::TrainConfig> legal{};  // without recomputation
  // Meshes that the trainers refuse, by the first reason; and those that leave ranks without
  // sequences.
  std::map<std::string, std::size_t> refused{};
};

// Beside `training`'s model, batch and type nothing of it is read.
Layouts layouts_of(const trainers::TrainConfig& training, int nranks);

// The orders of the mesh's axes that differ: those of one rank are nowhere. The usual one is first.
std::vector<std::string> orders_of(const trainers::TrainConfig& config, int nranks);

}  // namespace linerate::plan
