// The rules of lint(): one function and one file each, listed in lint.cc.
#pragma once

#include "topo/lint/lint.h"

#include <vector>

namespace linerate::topo::rules {

std::vector<LintFinding> degraded_link(const System& system);
std::vector<LintFinding> unknown_link_speed(const System& system);
std::vector<LintFinding> slow_uplink(const System& system);
std::vector<LintFinding> no_nvlink(const System& system);
std::vector<LintFinding> fewer_nvlinks(const System& system);
std::vector<LintFinding> far_nic(const System& system);
std::vector<LintFinding> hidden_bus(const System& system);
std::vector<LintFinding> unknown_memory_node(const System& system);
std::vector<LintFinding> inactive_port(const System& system);
std::vector<LintFinding> slower_port(const System& system);
std::vector<LintFinding> unknown_port_speed(const System& system);

}  // namespace linerate::topo::rules
