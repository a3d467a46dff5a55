// The words of `linerate topo` that say what to predict.
#pragma once

#include "cli/option.h"
#include "cli/sub_command.h"
#include "cli/topo_words.h"

#include <string>

namespace linerate {

// As they were typed.
struct PredictTexts {
  std::string collective;
  std::string type = "float", op = "sum";
  std::string min_bytes = "8", max_bytes = "8G", step_factor = "4", nnodes;
};

// Adds --predict.
void describe_collective(CLI::App& app, PredictTexts& texts);
// Adds its sizes, type, operator and numbers of nodes.
void describe_range(CLI::App& app, PredictTexts& texts);

// What describe_collective() and describe_range() read into `texts`. REQUIRES: --predict is given.
Refusal read_prediction(const CLI::App& app, const PredictTexts& texts, TopoConfig& config);

}  // namespace linerate
