// Shapes of published models that are too large for the trainers' own list, beside those of it.
#pragma once

#include "base/result.h"
#include "trainers/model/config.h"

#include <string_view>
#include <vector>

namespace linerate::plan {

// trainers::models(), then the published ones. As the trainers build a decoder: the head is tied to
// the embeddings in all.
std::vector<trainers::ModelConfig> models();
// The sentence lists the choices.
Result<trainers::ModelConfig> model_named(std::string_view name);

}  // namespace linerate::plan
