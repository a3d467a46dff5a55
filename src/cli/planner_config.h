// What `linerate plan` was asked to do.
#pragma once

#include "base/result.h"
#include "cli/topo_config.h"
#include "cli/train_config.h"
#include "trainers/model/config.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace linerate {

struct PlannerConfig {
  MachineChoice machine{};  // this one: it is measured
  trainers::ModelConfig model{};
  ModelSizes sizes{};  // what is given beside the model
  int nranks = 0;
  std::uint64_t batch = 8;       // sequences of a step
  std::size_t memory_bytes = 0;  // of a rank; 0: what there is
  bool fuses_attention = true;   // of GPUs
  std::size_t most = 10;         // layouts to print
  std::string measured_file{};   // of this machine; empty: it is measured, and forgotten
  std::string emulate_file{};    // the network that this machine's ranks call each other over
  std::string explained{};       // options of a layout; empty: none
  bool json = false;
};

// The words behind `linerate plan`. Sizes have gone into the model.
Result<PlannerConfig> parse_planner(const std::vector<std::string>& words);

}  // namespace linerate
