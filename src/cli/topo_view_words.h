// The words of `linerate topo` that say what to show.
#pragma once

#include "cli/option.h"
#include "cli/sub_command.h"
#include "cli/topo_predict_words.h"
#include "cli/topo_words.h"

#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// As they were typed.
struct ViewTexts {
  std::string out_file;
  std::vector<std::string> ends;
  bool json = false;
};

// Adds the views; --predict is one of them.
void describe_views(CLI::App& app, ViewTexts& texts, PredictTexts& prediction);

// The one view, and what goes with it. Refuses the options of `linerate topo` that make no
// difference to it. REQUIRES: `config` has its source.
Refusal read_view(const CLI::App& app, const ViewTexts& texts, TopoConfig& config);

}  // namespace linerate
