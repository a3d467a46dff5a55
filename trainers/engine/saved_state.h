// What a checkpoint says of a training, beside its elements.
#pragma once

#include "trainers/checkpoint/manifest.h"
#include "trainers/engine/config.h"
#include "trainers/model/parameters.h"

namespace linerate::trainers {

// The manifest of a run of this configuration before its first step, without files and chunks.
// Layout, stage and the type that is computed in are none of its facts.
Manifest manifest_of(const TrainConfig& config, const ParameterTable& table);

}  // namespace linerate::trainers
