// The thread sleeps; what it reads never lies in a rank's own way but for the core that it needs.
#include "commands/watched_health.h"

#include "base/wire.h"
#include "launch/place.h"
#include "launch/quiet_thread.h"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>

namespace linerate {
namespace {

constexpr std::chrono::seconds kInterval(1);

health::Places places_of(const Environment& environment) {
  return {.sysfs = environment.get("LINERATE_SYSFS").value_or("/sys")};
}

// Where the process may run, not where the rank is bound that started this thread.
void leave_core_of_rank() {
  cpu_set_t all;
  if (::sched_getaffinity(::getpid(), sizeof(all), &all) == 0)
    (void)::sched_setaffinity(0, sizeof(all), &all);
}

}  // namespace

WatchedHealth::WatchedHealth(RankContext& rank, const Environment& environment)
    : hostname_(rank.bootstrap().place().hostname) {
  if (!rank.is_first() && rank.node_leaders() == nullptr) return;
  rank.enter_local({.what = "first look at the node's health"});
  start(environment);
}

WatchedHealth::WatchedHealth(const Environment& environment) : hostname_(this_host().hostname) {
  start(environment);
}

void WatchedHealth::start(const Environment& environment) {
  watch_.emplace(places_of(environment));
  thread_ = quiet_thread([this] { sample_until_stopped(); });
}

void WatchedHealth::sample_until_stopped() {
  leave_core_of_rank();
  std::unique_lock lock(mutex_);
  while (!stopped_.wait_for(lock, kInterval, [this] { return stops_; })) watch_->sample();
}

void WatchedHealth::stop() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
  }
  stopped_.notify_one();
  if (thread_.joinable()) thread_.join();
}

NodeHealth WatchedHealth::own() {
  stop();
  auto health = watch_->finish();
  health.hostname = hostname_;
  return health;
}

std::vector<NodeHealth> WatchedHealth::gather(RankContext& rank) {
  if (!watch_) return {};
  std::vector<NodeHealth> nodes{own()};
  auto* leaders = rank.node_leaders();
  if (leaders == nullptr) return nodes;
  const auto all = leaders->gather(WireWriter().put(nodes.front()).bytes(), rank.init_deadline());
  nodes.clear();
  for (const auto& bytes : all) {
    nodes.push_back(read_whole<NodeHealth>(bytes));
    nodes.back().node = static_cast<int>(nodes.size()) - 1;
  }
  return nodes;
}

void add_health(std::vector<NodeHealth> nodes, EndInfo& end) {
  for (auto& node : nodes) node.run_id = end.run_id;
  std::ranges::move(health::findings_of(nodes), std::back_inserter(end.findings));
  end.health = std::move(nodes);
}

}  // namespace linerate
