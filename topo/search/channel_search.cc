// See channel_search.h.
#include "topo/search/channel_search.h"

#include "topo/search/reach.h"

#include <algorithm>

namespace linerate::topo {
namespace {

constexpr int kHopper = 90;
constexpr int kMaxNvlsHeads = 32, kMaxDirectHeads = 8;  // NCCL_MAX_NVLS_, _DIRECT_ARITY + 1
constexpr int kAttempt = 1 << 14, kSameAttempt = 1 << 8;

int allowed_crossing(const Ground& ground, Pattern pattern, int asked) {
  const bool may = pattern == Pattern::ring || pattern == Pattern::balanced_tree ||
                   pattern == Pattern::split_tree;
  return may && ground.nets() > 1 ? asked : 0;
}

}  // namespace

ChannelSearch::ChannelSearch(const Ground& ground, Pattern pattern, const SearchLimits& limits)
    : ground_(ground),
      choice_(ground),
      cross_nic_(allowed_crossing(ground, pattern, limits.cross_nic)),
      begins_same_(pattern != Pattern::nvls),
      speeds_(candidate_speeds(ground.graph().version(), ground.sm(), ground.multi_node())),
      budget_(ground.rules().step_budget) {
  best_ = {.pattern = pattern,
           .same_channels = begins_same_,
           .cross_nic = cross_nic_ == 1 ? 1 : 0,
           .collnet = limits.collnet,
           .min_channels = limits.min_channels,
           .max_channels = limits.max_channels};
}

bool ChannelSearch::is_possible() const {
  if (ground_.gpus() == 0 || best_.max_channels <= 0) return false;
  return best_.pattern != Pattern::nvls || (ground_.has_switch() && ground_.sm() >= kHopper);
}

ChannelSet ChannelSearch::run() {
  limit_types();
  if (!is_possible()) return finished(ground_, best_);
  limit_channels();
  begin();
  find();
  duplicate();
  raise();
  const bool alarm = best_.n == 0 && !best_.collnet && best_.pattern != Pattern::nvls;
  if (alarm) fall_back();
  ChannelSet set = finished(ground_, best_);
  set.simple_order = alarm;
  return set;
}

void ChannelSearch::limit_types() {
  const int sys = ground_.place(PathType::sys);
  nearest_intra_ = ground_.place(ground_.gpus() == 1 ? PathType::loc : PathType::nvl);
  nearest_inter_ = ground_.place(PathType::pix);
  farthest_intra_ = farthest_inter_ = sys;
  if (ground_.rules().types_from_graph) {
    nearest_intra_ = ground_.place(PathType::loc);
    if (ground_.gpus() > 1) nearest_intra_ = ground_.nearest_type(false);
    if (ground_.gpus() > 1) farthest_intra_ = ground_.farthest_type(false);
    if (ground_.multi_node()) {
      nearest_inter_ = ground_.nearest_type(true);
      farthest_intra_ = farthest_inter_ = ground_.farthest_type(true);
    }
    if (ground_.rules().far_nics_before_sm90 && ground_.sm() < kHopper) farthest_inter_ = sys;
  }
  best_.intra_type = nearest_intra_;
  best_.inter_type = nearest_inter_;
}

void ChannelSearch::limit_channels() {
  const bool caps = ground_.rules().caps_heads;
  if (best_.pattern == Pattern::nvls)
    best_.max_channels = caps ? std::min(kMaxNvlsHeads, ground_.gpus()) : ground_.gpus();
  if (best_.pattern == Pattern::collnet_direct)
    best_.max_channels = caps ? std::min(kMaxDirectHeads, ground_.gpus()) : ground_.gpus();
  if (ground_.gpus() == 1 && best_.pattern != Pattern::ring) best_.pattern = Pattern::tree;
  // All GPUs of one node are heads, so that none does more than the others.
  if (!ground_.multi_node() && best_.pattern == Pattern::nvls)
    best_.min_channels = best_.max_channels;
  // The trees over the slow link between two NVLink domains need two channels, as rings have.
  const bool two_rings = ground_.rules().splits_need_two && ground_.is_split() &&
                         best_.pattern == Pattern::ring && best_.max_channels >= 2;
  if (two_rings) best_.min_channels = std::max(best_.min_channels, 2);
}

// The first speed that one way and all links of a GPU carry. Other patterns than rings do not go
// back to where they began, and so need less.
void ChannelSearch::begin() {
  draft_ = best_;
  draft_.channels.assign(static_cast<std::size_t>(best_.max_channels) + 1,
                         {.gpus = std::vector<int>(static_cast<std::size_t>(ground_.gpus()), 0)});
  best_.channels = draft_.channels;
  float total = ground_.total_gbps();
  const auto gpus = static_cast<float>(ground_.gpus());
  if (ground_.gpus() > 1 && draft_.pattern != Pattern::ring) total *= gpus / (gpus - 1);
  while (speed_ + 1 < speeds_.size() &&
         (speeds_[speed_] > ground_.max_gbps() ||
          speeds_[speed_] * static_cast<float>(draft_.min_channels) > total))
    ++speed_;
  draft_.intra_gbps = draft_.inter_gbps = speeds_[speed_];
}

Budget ChannelSearch::attempt() {
  Budget budget(draft_.same_channels ? kSameAttempt : kAttempt);
  draft_.n = 0;
  budget_ -= budget.left();
  Packer(ground_, choice_, draft_, best_).pack(budget);
  return budget;
}

bool ChannelSearch::is_done(const Budget& budget) const {
  return budget.is_perfect() ||
         static_cast<float>(best_.n) * best_.inter_gbps >= ground_.total_gbps();
}

// Whether no way through all GPUs can be there, whatever is tried.
bool ChannelSearch::is_hopeless() const {
  return !draft_.has_heads() && ground_.gives_back_all() && !joins_all(ground_, draft_);
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
  if (draft_.same_channels && may_vary()) {
    draft_.same_channels = false;
    return true;
  }
  draft_.same_channels = begins_same_;
  budget_ += budget.left();
  if (budget_ < 0 && best_.n > 0) return false;
  if (simplify_tree()) return true;
  draft_.pattern = best_.pattern;
  if (widen_intra()) return true;
  draft_.intra_type = nearest_intra_;
  if (widen_inter()) return true;
  draft_.inter_type = nearest_inter_;
  if (cross_nics()) return true;
  draft_.cross_nic = cross_nic_ == 1 ? 1 : 0;
  return slow_down();
}

bool ChannelSearch::may_vary() const {
  return !(ground_.rules().keeps_amd_channels && ground_.through_amd() &&
           draft_.intra_type == ground_.place(PathType::sys));
}

bool ChannelSearch::simplify_tree() {
  if (ground_.sm() < kHopper || draft_.pattern != Pattern::balanced_tree) return false;
  draft_.pattern = Pattern::tree;
  return true;
}

bool ChannelSearch::widen_intra() {
  const int farthest = ground_.multi_node() ? draft_.inter_type : farthest_intra_;
  if (draft_.intra_type >= farthest || (best_.n > 0 && draft_.intra_type >= best_.intra_type))
    return false;
  draft_.intra_type = ground_.next_type(draft_.intra_type);
  return draft_.intra_type < ground_.place(PathType::dis);
}

bool ChannelSearch::widen_inter() {
  if (!ground_.multi_node() || draft_.inter_type >= farthest_inter_) return false;
  if (best_.n > 0 && draft_.inter_type >= best_.inter_type &&
      draft_.inter_type >= ground_.place(PathType::pxn))
    return false;
  draft_.inter_type = ground_.next_type(draft_.inter_type);
  return draft_.inter_type < ground_.place(PathType::dis);
}

bool ChannelSearch::cross_nics() {
  if (cross_nic_ != 2 || draft_.cross_nic != 0) return false;
  const bool pairs = ground_.rules().pairs_rings;
  if (pairs && best_.pattern != Pattern::ring && best_.pattern != Pattern::balanced_tree)
    return false;
  draft_.cross_nic = pairs ? 2 : 1;
  return true;
}

// Half the speed of what was found is not worth a search.
bool ChannelSearch::slow_down() {
  constexpr float kWorth = .49F;
  if (speed_ + 1 >= speeds_.size()) return false;
  if (best_.n > 0 && speeds_[speed_ + 1] / best_.inter_gbps <= kWorth) return false;
  draft_.intra_gbps = draft_.inter_gbps = speeds_[++speed_];
  return true;
}

// Fast channels become two of half the speed, as more of them hide latency better.
void ChannelSearch::duplicate() {
  constexpr float kFast = 25, kVeryFast = 50;
  constexpr int kFew = 4, kAmpere = 80;
  if (best_.n == 0 || best_.pattern == Pattern::nvls || best_.intra_gbps < kFast) return;
  if (ground_.sm() > kAmpere && best_.intra_gbps < kVeryFast && best_.n > kFew) return;
  const int twice = std::min(2 * best_.n, best_.max_channels);
  for (int c = best_.n; c < twice; ++c) best_.channel(c) = best_.channel(c - best_.n);
  const int whole_parts = (twice + best_.n - 1) / best_.n;
  const auto parts = static_cast<float>(whole_parts);
  best_.intra_gbps /= parts;
  best_.inter_gbps /= parts;
  best_.n = twice;
}

void ChannelSearch::raise() {
  draft_ = best_;
  speed_ = 0;
  while (speed_ + 1 < speeds_.size() && speeds_[speed_] > best_.inter_gbps) ++speed_;
  draft_.intra_gbps = draft_.inter_gbps = speeds_[speed_];
  draft_.min_channels = best_.n;
  while (speed_ > 0 && ask_for_more() && !is_hopeless()) {
    const Budget budget = attempt();
    if (budget.left() == 0) return;
  }
}

// Rings: both speeds. NVLS: between nodes, up to twice that within. Trees: within the node, up to
// twice that between nodes.
bool ChannelSearch::ask_for_more() {
  const bool raises_others = ground_.rules().raises_rings;
  const bool is_ring = best_.pattern == Pattern::ring;
  if (is_ring && !raises_others) return false;
  if (is_ring) {
    draft_.intra_gbps = draft_.inter_gbps = speeds_[--speed_];
    return true;
  }
  if (raises_others && best_.pattern == Pattern::nvls && draft_.inter_gbps == best_.inter_gbps &&
      draft_.inter_gbps < 2 * draft_.intra_gbps) {
    draft_.min_channels = draft_.max_channels = best_.n;
    draft_.inter_gbps = speeds_[--speed_];
    return true;
  }
  if (draft_.intra_gbps != best_.intra_gbps || draft_.intra_gbps >= 2 * draft_.inter_gbps)
    return false;
  draft_.intra_gbps = speeds_[--speed_];
  return true;
}

// NCCL's last resort, and an alarm: one channel over the GPUs as they are numbered.
void ChannelSearch::fall_back() {
  constexpr float kAlarm = 0.1F;
  Channel& channel = best_.channel(0);
  for (int gpu = 0; gpu < ground_.gpus(); ++gpu) channel.gpus[static_cast<std::size_t>(gpu)] = gpu;
  const auto first_net = [&](int gpu) {
    const auto& nets = choice_.nets(-1, gpu);
    return nets.empty() ? -1 : nets.front();
  };
  const int in = first_net(0), out = first_net(ground_.gpus() - 1);
  if (ground_.multi_node()) {
    channel.net_in = in;
    channel.net_out = out;
  }
  const bool reaches_nets = !ground_.rules().alarm_tells_nets || (in >= 0 && out >= 0);
  best_.intra_gbps = kAlarm;
  best_.inter_gbps = reaches_nets ? kAlarm : 0;
  best_.intra_type = ground_.place(PathType::sys);
  best_.inter_type = ground_.place(reaches_nets ? PathType::sys : PathType::dis);
  best_.n = 1;
}

ChannelSet search_channels(const Ground& ground, Pattern pattern, const SearchLimits& limits) {
  return ChannelSearch(ground, pattern, limits).run();
}

ChannelSet search_channels(const Graph& graph, const Paths& paths, Pattern pattern,
                           const SearchLimits& limits) {
  return search_channels(Ground(graph, paths, limits.multi_node), pattern, limits);
}

}  // namespace linerate::topo
