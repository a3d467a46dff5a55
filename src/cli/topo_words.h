// What `linerate topo` was asked to show.
#pragma once

#include "base/result.h"
#include "cli/machine_words.h"
#include "collectives/collective.h"
#include "topo/model/predict.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace linerate {

enum class TopoView : std::uint8_t {
  tree,
  matrix,
  dot,
  svg,
  json,
  nccl_xml,
  explanation,
  lint,
  prediction,
  measurement,
  platforms
};

struct TopoConfig {
  MachineChoice machine{};
  TopoView view = TopoView::tree;
  bool gbps = false, all_hosts = false;        // matrix
  std::string out_file{};                      // nccl_xml and svg; empty: stdout
  std::pair<std::string, std::string> ends{};  // explanation
  bool as_json = false;                        // measurement and prediction

  // prediction
  topo::Function function = topo::Function::all_reduce;
  const Collective* sends = nullptr;  // instead of the function: one that NCCL makes of sends
  topo::Reduced reduced{};
  std::size_t min_bytes = 8;
  std::size_t max_bytes = std::size_t{8} << 30;
  int step_factor = 4;
  std::vector<int> nnodes{};  // ascending; empty: a cluster's, or one node

  std::string help_text{};  // set: print it and do nothing
};

// The words behind `linerate topo`.
Result<TopoConfig> parse_topo(const std::vector<std::string>& words);

// Its options as a section of docs/cli.md.
std::string topo_markdown();

}  // namespace linerate
