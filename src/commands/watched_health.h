// The nodes of a job, watched while it runs (--watch-health): each by a thread that its first rank
// starts, or a process without ranks, and that samples it once a second.
#pragma once

#include "base/environment.h"
#include "diagnose/health/health.h"
#include "job/rank_context.h"
#include "record/record.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace linerate {

class WatchedHealth {
 public:
  // Starts on the first rank of each node; others watch nothing.
  WatchedHealth(RankContext& rank, const Environment& environment);
  // Of a process without ranks.
  explicit WatchedHealth(const Environment& environment);
  ~WatchedHealth() { stop(); }
  WatchedHealth(const WatchedHealth&) = delete;
  WatchedHealth& operator=(const WatchedHealth&) = delete;

  // Ends. Of all nodes, on rank 0. Collective over the ranks. Once, and then own() no more.
  std::vector<NodeHealth> gather(RankContext& rank);
  // The same of this node alone, by itself. REQUIRES: the first rank of a node, or none.
  NodeHealth own();

 private:
  void start(const Environment& environment);
  void sample_until_stopped();
  void stop();

  std::string hostname_;
  std::optional<health::NodeWatch> watch_;  // nothing: another rank of the node has it
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stops_ = false;
  std::thread thread_;
};

// Into the end of a run, whose id it has: the nodes, and what is found of them.
void add_health(std::vector<NodeHealth> nodes, EndInfo& end);

}  // namespace linerate
