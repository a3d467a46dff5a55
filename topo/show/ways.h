// Every algorithm and protocol at one size, as NCCL's tuner weighs them, and why others are off.
#pragma once

#include "topo/model/predict.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace linerate::topo {

struct Way {
  Scheme scheme{};
  std::optional<Prediction> prediction{};
  std::string off{};     // why there is no prediction
  bool avoided = false;  // taken only where there is no other
  bool taken = false;    // what NCCL chooses
};

// One for each algorithm and protocol, in NCCL's order. REQUIRES: predictor.can_do().
std::vector<Way> ways_of(const Predictor& predictor, Function function, std::size_t bytes,
                         const Reduced& what = {});

// What a table of ways is about.
struct WaysOf {
  const JobShape& job;
  Function function = Function::all_reduce;
  std::size_t bytes = 0;
};

// Lines, each ended: those that are used with the fastest first, then the others by reason.
std::string ways_table(const std::vector<Way>& ways, const WaysOf& of);
// One object, indented: kind "prediction_ways", schema, collective, nccl_version, nnodes, nranks,
// bytes, environment, and rows of algorithm, protocol, and either channels, ncclmodel_time_us,
// ncclmodel_busbw_gbps, taken and avoided, or off.
std::string ways_json(const std::vector<Way>& ways, const WaysOf& of);

// "NCCL_ALGO=Ring NCCL_MIN_CTAS=32"; and a line that says where they come from. Empty: none is set.
std::string variables_text(const TunerSettings& asked);
std::string asked_text(const TunerSettings& asked);

}  // namespace linerate::topo
