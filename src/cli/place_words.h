// What `linerate topo place` was asked to do.
#pragma once

#include "base/result.h"
#include "cli/machine_words.h"
#include "topo/place/plan.h"

#include <cstdint>
#include <string>
#include <vector>

namespace linerate {

enum class PlaceFormat : std::uint8_t { table, json, rankfile, mpirun, srun, env };

struct PlaceConfig {
  MachineChoice machine{};
  topo::PlanRequest request{};
  PlaceFormat format = PlaceFormat::table;
  std::string rankfile{};   // also written there; empty: not
  std::string help_text{};  // set: print it and do nothing
};

// The words behind `linerate topo place`.
Result<PlaceConfig> parse_place(const std::vector<std::string>& words);

// Its options as a section of docs/cli.md.
std::string place_markdown();

}  // namespace linerate
