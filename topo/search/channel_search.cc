// The order in which a search gives in: what it asks for less of, until channels are found, and
// what it then tries to raise again.
#include "topo/search/candidate_graph.h"
#include "topo/search/recursive_search.h"
#include "topo/search/search_order.h"
#include "topo/search/search_topology.h"

#include <algorithm>
#include <span>
#include <tuple>

namespace linerate::topo {
namespace {

// ncclTopoCompute in NCCL's src/graph/search.cc.
class ChannelSearch {
 public:
  ChannelSearch(const SearchTopology& topology, Pattern pattern, const SearchLimits& limits);
  ChannelSet run();

 private:
  bool is_possible() const;
  void limit_types();
  void limit_channels();
  void begin();

  Budget attempt();
  bool is_hopeless() const;
  bool is_done(const Budget& budget) const;
  void find();  // the first pass
  bool relax(const Budget& budget);
  bool may_vary() const;
  bool simplify_tree();
  bool widen_intra();
  bool widen_inter();
  bool cross_nics();
  bool slow_down();

  void duplicate();
  void raise();  // the second pass
  bool ask_for_more();
  void fall_back();  // the simple order

  const SearchTopology& topology_;
  NetChoice choice_;
  bool may_cross_;    // to another NIC than it came in by: NCCL_CROSS_NIC=2, the default
  bool begins_same_;  // whether channels that are all the same are tried first
  std::span<const float> speeds_;
  std::size_t speed_ = 0;  // index of the candidate's
  int nearest_intra_ = 0, farthest_intra_ = 0, nearest_inter_ = 0, farthest_inter_ = 0;
  long long budget_ = 0;  // of all attempts
  CandidateGraph candidate_, best_;
};

constexpr int kMaxHeads = 32;  // NCCL_MAX_NVLS_ARITY
constexpr int kAttempt = 1 << 14, kSameAttempt = 1 << 8;

ChannelSearch::ChannelSearch(const SearchTopology& topology, Pattern pattern,
                             const SearchLimits& limits)
    : topology_(topology),
      choice_(topology),
      may_cross_(pattern != Pattern::nvls && topology.nets() > 1),
      begins_same_(pattern != Pattern::nvls),
      speeds_(candidate_speeds(topology.graph().version(), topology.sm(), topology.multi_node())),
      budget_(topology.rules().step_budget) {
  best_ = {.pattern = pattern,
           .same_channels = begins_same_,
           .min_channels = limits.min_channels,
           .max_channels = limits.max_channels};
}

bool ChannelSearch::is_possible() const {
  if (topology_.gpus() == 0 || best_.max_channels <= 0) return false;
  if (best_.pattern != Pattern::nvls) return true;
  const auto& rules = topology_.rules();
  return topology_.has_switch() && topology_.sm() >= kHopperSm &&
         topology_.gpus() >= rules.min_nvls_gpus &&
         (rules.nvls_between_nodes || !topology_.multi_node());
}

ChannelSet ChannelSearch::run() {
  limit_types();
  if (!is_possible()) return finished(topology_, best_);
  limit_channels();
  begin();
  find();
  duplicate();
  raise();
  const bool alarm = best_.n == 0 && best_.pattern != Pattern::nvls;
  if (alarm) fall_back();
  ChannelSet set = finished(topology_, best_);
  set.simple_order = alarm;
  return set;
}

void ChannelSearch::limit_types() {
  const int sys = topology_.place(PathType::sys);
  nearest_intra_ = topology_.place(topology_.gpus() == 1 ? PathType::loc : PathType::nvl);
  nearest_inter_ = topology_.place(PathType::pix);
  farthest_intra_ = farthest_inter_ = sys;
  if (topology_.rules().types_from_graph) {
    nearest_intra_ = topology_.place(PathType::loc);
    if (topology_.gpus() > 1)
      std::tie(nearest_intra_, farthest_intra_) = topology_.nearest_and_farthest_type(false);
    if (topology_.multi_node()) {
      std::tie(nearest_inter_, farthest_inter_) = topology_.nearest_and_farthest_type(true);
      farthest_intra_ = farthest_inter_;
    }
    if (topology_.rules().far_nics_before_sm90 && topology_.sm() < kHopperSm) farthest_inter_ = sys;
  }
  best_.intra_type = nearest_intra_;
  best_.inter_type = nearest_inter_;
}

void ChannelSearch::limit_channels() {
  if (best_.pattern == Pattern::nvls)
    best_.max_channels =
        topology_.rules().caps_heads ? std::min(kMaxHeads, topology_.gpus()) : topology_.gpus();
  if (topology_.gpus() == 1 && best_.pattern != Pattern::ring) best_.pattern = Pattern::tree;
  // All GPUs of one node are heads, so that none does more than the others.
  if (!topology_.multi_node() && best_.pattern == Pattern::nvls)
    best_.min_channels = best_.max_channels;
  // The trees over the slow link between two NVLink domains need two channels, as rings have.
  const bool two_rings = topology_.rules().splits_need_two && topology_.is_split() &&
                         best_.pattern == Pattern::ring && best_.max_channels >= 2;
  if (two_rings) best_.min_channels = std::max(best_.min_channels, 2);
}

// The first speed that one path and all links of a GPU carry. Other patterns than rings do not go
// back to where they began, and so need less.
void ChannelSearch::begin() {
  candidate_ = best_;
  candidate_.channels.assign(
      static_cast<std::size_t>(best_.max_channels) + 1,
      {.gpus = std::vector<int>(static_cast<std::size_t>(topology_.gpus()), 0)});
  best_.channels = candidate_.channels;
  float total = topology_.total_gbps();
  const auto gpus = static_cast<float>(topology_.gpus());
  if (topology_.gpus() > 1 && candidate_.pattern != Pattern::ring) total *= gpus / (gpus - 1);
  while (speed_ + 1 < speeds_.size() &&
         (speeds_[speed_] > topology_.max_gbps() ||
          speeds_[speed_] * static_cast<float>(candidate_.min_channels) > total))
    ++speed_;
  candidate_.intra_gbps = candidate_.inter_gbps = speeds_[speed_];
}

Budget ChannelSearch::attempt() {
  Budget budget(candidate_.same_channels ? kSameAttempt : kAttempt);
  candidate_.n = 0;
  budget_ -= budget.left();
  RecursiveSearch(topology_, choice_, candidate_, best_).run(budget);
  return budget;
}

bool ChannelSearch::is_done(const Budget& budget) const {
  return budget.is_perfect() ||
         static_cast<float>(best_.n) * best_.inter_gbps >= topology_.total_gbps();
}

// Whether no path through all GPUs can be there, whatever is tried.
bool ChannelSearch::is_hopeless() const {
  return !candidate_.has_heads() && topology_.gives_back_all() &&
         !connects_all_gpus(topology_, candidate_);
}

// With nothing left of the budget it no longer matters how much of it a vain attempt takes.
void ChannelSearch::find() {
  for (;;) {
    const Budget budget = budget_ < 0 && is_hopeless() ? Budget(0) : attempt();
    if (is_done(budget) || !relax(budget)) return;
  }
}

// One step of giving in; false where there is none left. Each asks the others to start anew.
bool ChannelSearch::relax(const Budget& budget) {
  if (candidate_.same_channels && may_vary()) {
    candidate_.same_channels = false;
    return true;
  }
  candidate_.same_channels = begins_same_;
  budget_ += budget.left();
  if (budget_ < 0 && best_.n > 0) return false;
  if (simplify_tree()) return true;
  candidate_.pattern = best_.pattern;
  if (widen_intra()) return true;
  candidate_.intra_type = nearest_intra_;
  if (widen_inter()) return true;
  candidate_.inter_type = nearest_inter_;
  if (cross_nics()) return true;
  candidate_.cross_nic = 0;
  return slow_down();
}

bool ChannelSearch::may_vary() const {
  return !(topology_.rules().keeps_amd_channels && topology_.through_amd() &&
           candidate_.intra_type == topology_.place(PathType::sys));
}

bool ChannelSearch::simplify_tree() {
  if (topology_.sm() < kHopperSm || candidate_.pattern != Pattern::balanced_tree) return false;
  candidate_.pattern = Pattern::tree;
  return true;
}

bool ChannelSearch::widen_intra() {
  const int farthest = topology_.multi_node() ? candidate_.inter_type : farthest_intra_;
  if (candidate_.intra_type >= farthest ||
      (best_.n > 0 && candidate_.intra_type >= best_.intra_type))
    return false;
  candidate_.intra_type = topology_.next_type(candidate_.intra_type);
  return candidate_.intra_type < topology_.place(PathType::dis);
}

bool ChannelSearch::widen_inter() {
  if (!topology_.multi_node() || candidate_.inter_type >= farthest_inter_) return false;
  if (best_.n > 0 && candidate_.inter_type >= best_.inter_type &&
      candidate_.inter_type >= topology_.place(PathType::pxn))
    return false;
  candidate_.inter_type = topology_.next_type(candidate_.inter_type);
  return candidate_.inter_type < topology_.place(PathType::dis);
}

bool ChannelSearch::cross_nics() {
  if (!may_cross_ || candidate_.cross_nic != 0) return false;
  const bool pairs = topology_.rules().pairs_rings;
  if (pairs && best_.pattern == Pattern::tree) return false;
  candidate_.cross_nic = pairs ? 2 : 1;
  return true;
}

// Half the speed of what was found is not worth a search.
bool ChannelSearch::slow_down() {
  constexpr float kWorth = .49F;
  if (speed_ + 1 >= speeds_.size()) return false;
  if (best_.n > 0 && speeds_[speed_ + 1] / best_.inter_gbps <= kWorth) return false;
  candidate_.intra_gbps = candidate_.inter_gbps = speeds_[++speed_];
  return true;
}

// Fast channels become two of half the speed, as more of them hide latency better.
void ChannelSearch::duplicate() {
  constexpr float kFast = 25, kVeryFast = 50;
  constexpr int kFew = 4;
  if (best_.n == 0 || best_.pattern == Pattern::nvls || best_.intra_gbps < kFast) return;
  if (topology_.sm() > kAmpereSm && best_.intra_gbps < kVeryFast && best_.n > kFew) return;
  const int twice = std::min(2 * best_.n, best_.max_channels);
  for (int c = best_.n; c < twice; ++c) best_.channel(c) = best_.channel(c - best_.n);
  const int whole_parts = (twice + best_.n - 1) / best_.n;
  const auto parts = static_cast<float>(whole_parts);
  best_.intra_gbps /= parts;
  best_.inter_gbps /= parts;
  best_.n = twice;
}

void ChannelSearch::raise() {
  candidate_ = best_;
  speed_ = 0;
  while (speed_ + 1 < speeds_.size() && speeds_[speed_] > best_.inter_gbps) ++speed_;
  candidate_.intra_gbps = candidate_.inter_gbps = speeds_[speed_];
  candidate_.min_channels = best_.n;
  while (speed_ > 0 && ask_for_more() && !is_hopeless()) {
    const Budget budget = attempt();
    if (budget.left() == 0) return;
  }
}

// Rings: both speeds. NVLS: between nodes, up to twice that within. Trees: within the node, up to
// twice that between nodes.
bool ChannelSearch::ask_for_more() {
  const bool raises_others = topology_.rules().raises_rings;
  const bool is_ring = best_.pattern == Pattern::ring;
  if (is_ring && !raises_others) return false;
  if (is_ring) {
    candidate_.intra_gbps = candidate_.inter_gbps = speeds_[--speed_];
    return true;
  }
  if (raises_others && best_.pattern == Pattern::nvls &&
      candidate_.inter_gbps == best_.inter_gbps &&
      candidate_.inter_gbps < 2 * candidate_.intra_gbps) {
    candidate_.min_channels = candidate_.max_channels = best_.n;
    candidate_.inter_gbps = speeds_[--speed_];
    return true;
  }
  if (candidate_.intra_gbps != best_.intra_gbps ||
      candidate_.intra_gbps >= 2 * candidate_.inter_gbps)
    return false;
  candidate_.intra_gbps = speeds_[--speed_];
  return true;
}

// NCCL's last resort, and an alarm: one channel over the GPUs as they are numbered.
void ChannelSearch::fall_back() {
  constexpr float kAlarm = 0.1F;
  Channel& channel = best_.channel(0);
  for (int gpu = 0; gpu < topology_.gpus(); ++gpu)
    channel.gpus[static_cast<std::size_t>(gpu)] = gpu;
  const auto first_net = [&](int gpu) {
    const auto& nets = choice_.nets(-1, gpu);
    return nets.empty() ? -1 : nets.front();
  };
  const int in = first_net(0), out = first_net(topology_.gpus() - 1);
  if (topology_.multi_node()) {
    channel.net_in = in;
    channel.net_out = out;
  }
  const bool reaches_nets = !topology_.rules().alarm_tells_nets || (in >= 0 && out >= 0);
  best_.intra_gbps = kAlarm;
  best_.inter_gbps = reaches_nets ? kAlarm : 0;
  best_.intra_type = topology_.place(PathType::sys);
  best_.inter_type = topology_.place(reaches_nets ? PathType::sys : PathType::dis);
  best_.n = 1;
}

}  // namespace

ChannelSet search_channels(const SearchTopology& topology, Pattern pattern,
                           const SearchLimits& limits) {
  return ChannelSearch(topology, pattern, limits).run();
}

}  // namespace linerate::topo
