// What `linerate topo --measure` prints: of this machine, and of TCP between the nodes of a job.
#pragma once

#include "bench/survey/link_prober.h"
#include "bench/survey/survey.h"

#include <span>
#include <string>

namespace linerate {

struct MeasuredNode {
  std::string hostname{};
  std::string hardware{};
  Survey survey{};
};

// The tables of the first node; what the others give at most is compared with it in a line each.
// REQUIRES: nodes is not empty.
std::string survey_text(std::span<const MeasuredNode> nodes);

// A line for each pair, the slowest and the farthest one named below; empty where there are none.
std::string links_text(std::span<const NodeLink> links, std::span<const MeasuredNode> nodes);

// Both as one JSON object.
std::string measured_json(std::span<const MeasuredNode> nodes, std::span<const NodeLink> links);

}  // namespace linerate
