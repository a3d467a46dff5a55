// What `linerate topo` and `linerate topo place` were asked to do.
#pragma once

#include "base/result.h"
#include "cli/option.h"
#include "collectives/collective.h"
#include "topo/model/predict.h"
#include "topo/place/plan.h"
#include "topo/version.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace linerate {

// Where the system, or the cluster of several, comes from.
enum class MachineSource : std::uint8_t {
  this_machine,
  saved_root,
  hwloc_file,
  nccl_file,
  platform,
  cluster
};

struct MachineChoice {
  MachineSource source = MachineSource::this_machine;
  std::string option{};             // that named it
  std::string name{};               // path, or the platform's name
  std::vector<std::string> more{};  // NCCL's files beside the first
  std::string platform{};           // that completes NCCL's file; empty: none
  int nvlink_domain = 1;            // such hosts in one NVLink domain
  topo::NcclVersion version{};      // of the NCCL that is asked for
};

enum class TopoView : std::uint8_t {
  tree,
  matrix,
  dot,
  svg,
  json,
  nccl_xml,
  explanation,
  graphs,
  lint,
  prediction,
  measurement,
  platforms
};

struct TopoConfig {
  MachineChoice machine{};
  TopoView view = TopoView::tree;
  std::string view_option{};               // that asked for it
  bool gbps = false, all_hosts = false;    // matrix
  std::string out_file{};                  // nccl_xml and svg
  std::vector<std::string> ends{};         // explanation: two devices
  std::vector<std::string> graph_files{};  // graphs: one or two
  bool as_json = false;                    // measurement, prediction and lint

  // prediction
  const Collective* collective = nullptr;
  topo::Function function = topo::Function::all_reduce;
  const Collective* p2p_collective =
      nullptr;  // instead of the function: one that NCCL makes of sends
  topo::Reduced reduced{};
  std::size_t min_bytes = 0, max_bytes = 0;
  int step_factor = 0;
  std::vector<int> nnodes{};    // ascending; empty: a cluster's, or one node
  std::size_t table_bytes = 0;  // all ways at one size; 0: the choice at each
  topo::TunerSettings asked{};  // of the environment, which the command reads
};

enum class PlaceFormat : std::uint8_t { table, json, rankfile, mpirun, srun, env };

struct PlaceConfig {
  MachineChoice machine{};
  topo::PlanRequest request{};
  PlaceFormat format = PlaceFormat::table;
  std::string rankfile{};  // also written there; empty: not
};

// The words behind `linerate topo` and behind `linerate topo place`. Values that are not given are
// the defaults of the rows.
Result<TopoConfig> parse_topo(const std::vector<std::string>& words);
Result<PlaceConfig> parse_place(const std::vector<std::string>& words);

}  // namespace linerate
