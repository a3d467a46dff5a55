// Snapshots of this node, or of all nodes of the job that a launcher started, with rank 0.
//
// One process of each node reads it, in a copy of itself that may hang: what a driver keeps waiting
// is a finding. Rank 0 gets all of them, judges, and tells the others its exit code.
#pragma once

#include "commands/command.h"
#include "diagnose/node/node.h"

#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace linerate {

// What a process tells of its node.
struct NodeReport {
  std::string hostname{};
  std::string snapshot{};  // its text
  std::string unread{};    // why there is none: "took more than 60 s"
  std::string settings{};  // of NCCL that must be the same everywhere: a line each
  double clock_s = 0;      // of the node, at one moment for all

  static auto members(auto& self) {
    return std::tie(self.hostname, self.snapshot, self.unread, self.settings, self.clock_s);
  }
};

struct GatheredNodes {
  std::vector<node::Snapshot> snapshots{};  // each with a name of its own
  std::vector<Finding> unread{};
  bool of_job = false;  // a launcher started it
};

// Of several nodes the snapshots get what shows only beside others: settings and clocks.
GatheredNodes gathered(std::span<const NodeReport> reports);

// Calls `use` on rank 0, or on the only process, and yields its code on all. Throws TimeoutError
// that names the ranks that have not come, and what else join_processes() does. REQUIRES: no other
// thread runs.
ExitCode with_nodes(const CommandInput& input,
                    const std::function<ExitCode(const GatheredNodes&)>& use);

// The same of this node alone, whoever started the process.
ExitCode with_this_node(const CommandInput& input,
                        const std::function<ExitCode(const GatheredNodes&)>& use);

}  // namespace linerate
