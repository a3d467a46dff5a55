// The GPUs of a channel.
#include "topo/search/recursive_search.h"

#include <algorithm>
#include <utility>

namespace linerate::topo {
namespace {

constexpr int kReferenceBudget = 1 << 10;  // of the order by number, beside the attempt's own

}  // namespace

RecursiveSearch::RecursiveSearch(const SearchTopology& topology, NetChoice& choice,
                                 CandidateGraph& candidate, CandidateGraph& best)
    : topology_(topology),
      choice_(choice),
      candidate_(candidate),
      best_(best),
      load_(topology),
      order_(topology, load_) {
  for (int net = 0; net < topology.nets(); ++net) ports_.push_back(topology.net_gbps(net));
}

// A channel that begins anywhere first asks for a reference, with a budget of its own.
bool RecursiveSearch::has_references() const {
  return topology_.multi_node() &&
         (!topology_.has_switch() || topology_.rules().asks_behind_switch);
}

// Whether nothing more can come of trying: neither now, nor for a reference of later channels,
// which begins with what this one leaves of the links.
bool RecursiveSearch::has_ended(const Budget& budget) const {
  return budget.is_over() && (!has_references() || topology_.gives_back_all());
}

// Path types are asked for single channels only, as NCCL does.
bool RecursiveSearch::go(int from, int to, int times) {
  if (from == kNowhere) return true;
  const SearchPath& path = topology_.path(from, to);
  const int farthest = is_inside(from, to) ? candidate_.intra_type : candidate_.inter_type;
  if (path.type >= topology_.place(PathType::dis)) return false;
  if (times == 1 && (path.type > farthest || (candidate_.is_tree() && path.back_type > farthest)))
    return false;
  if (!load_.take(path, gbps(from, to) * static_cast<float>(times))) return false;
  candidate_.hops += times * path.hop_count;
  return true;
}

void RecursiveSearch::undo(int from, int to, int times) {
  if (from == kNowhere) return;
  const SearchPath& path = topology_.path(from, to);
  load_.give_back(path, gbps(from, to) * static_cast<float>(times));
  candidate_.hops -= times * path.hop_count;
}

void RecursiveSearch::try_gpu(int from, int gpu, const SearchPos& pos) {
  if (!go(from, gpu)) return;
  order_.flip(gpu, candidate_.n);
  visit(gpu, pos);
  order_.flip(gpu, candidate_.n);
  undo(from, gpu);
}

void RecursiveSearch::visit(int gpu, const SearchPos& pos) {
  if (!pos.budget->spend()) return;
  if (pos.step == topology_.gpus()) return complete(*pos.budget);
  current().gpus[static_cast<std::size_t>(pos.step)] = gpu;
  if (pos.step == pos.back_to_net) return return_to_net(gpu, pos);
  if (candidate_.pattern == Pattern::nvls) return try_switch(gpu, pos);
  if (pos.step < topology_.gpus() - 1) return onward(gpu, pos);
  if (pos.step == pos.back_to_first) return close_ring(gpu, pos);
  visit(gpu, {.step = topology_.gpus(), .order = pos.order, .budget = pos.budget});
}

void RecursiveSearch::complete(Budget& budget) {
  ++candidate_.n;
  if (improves(topology_, candidate_, best_)) {
    best_ = candidate_;
    if (candidate_.n == candidate_.max_channels) budget.end();
  }
  if (candidate_.n < candidate_.max_channels) next_channel(budget);
  --candidate_.n;
}

// A balanced tree takes half of its speed at each of the first two GPUs.
void RecursiveSearch::return_to_net(int gpu, const SearchPos& pos) {
  const bool balanced = candidate_.pattern == Pattern::balanced_tree;
  const float speed = candidate_.inter_gbps, taken = balanced ? speed / 2 : speed;
  SearchPos on = pos;
  on.back_to_net = balanced && pos.step == 0 ? 1 : -1;
  const auto& nets = choice_.nets(candidate_.inter_type, gpu);
  for (const int net : nets) {
    if (has_ended(*pos.budget)) return;
    if (!choice_.may_end(candidate_, net, pos.step)) continue;
    candidate_.inter_gbps = taken;
    const bool reached = go(gpu, topology_.net_vertex(net));
    candidate_.inter_gbps = speed;
    if (!reached) continue;
    current().net_out = net;
    visit(gpu, on);
    candidate_.inter_gbps = taken;
    undo(gpu, topology_.net_vertex(net));
    candidate_.inter_gbps = speed;
  }
}

std::vector<int> RecursiveSearch::next_gpus(int gpu, const SearchPos& pos, int step) const {
  switch (pos.order) {
    case Order::by_number:
      return {step};
    case Order::as_before:
      return {candidate_.channel(candidate_.n - 1).gpus[static_cast<std::size_t>(step)]};
    case Order::free:
      break;
  }
  const auto need = pos.back_to_net == -1     ? NicNeed::none
                    : pos.back_to_net == step ? NicNeed::next
                                              : NicNeed::later;
  return order_.after(gpu, need, candidate_);
}

void RecursiveSearch::onward(int gpu, const SearchPos& pos) {
  SearchPos on = pos;
  ++on.step;
  for (const int next : next_gpus(gpu, pos, on.step)) {
    try_gpu(gpu, next, on);
    if (has_ended(*pos.budget)) return;
  }
}

void RecursiveSearch::close_ring(int gpu, const SearchPos& pos) {
  const int first = current().gpus.front();
  if (!go(gpu, first)) return;
  SearchPos on = pos;
  ++on.step;
  on.back_to_first = -1;
  visit(first, on);
  undo(gpu, first);
}

// From the NVSwitch to every GPU and back, twice as much of the head, which also sends what it has
// reduced.
void RecursiveSearch::try_switch(int gpu, const SearchPos& pos) {
  const int nvs = topology_.switch_vertex(), ways = 2 * topology_.gpus();
  const auto each = [&](int way, auto&& act) {
    const int other = way % topology_.gpus();
    const int times = other == gpu ? 2 : 1;
    return way < topology_.gpus() ? act(nvs, other, times) : act(other, nvs, times);
  };
  const auto take = [&](int from, int to, int times) { return go(from, to, times); };
  const auto give_back = [&](int from, int to, int times) { undo(from, to, times); };
  int taken = 0;
  while (taken < ways && each(taken, take)) ++taken;
  if (taken == ways) visit(gpu, {.step = topology_.gpus(), .budget = pos.budget});
  while (taken-- > 0) each(taken, give_back);
}

RecursiveSearch::SearchPos RecursiveSearch::start(Budget& budget) const {
  const int last = topology_.gpus() - 1;
  const bool ring = candidate_.pattern == Pattern::ring;
  if (!topology_.multi_node()) return {.back_to_first = ring ? last : -1, .budget = &budget};
  return {.back_to_net = ring ? last : 0, .budget = &budget};
}

void RecursiveSearch::next_channel(Budget& budget) {
  const SearchPos pos = start(budget);
  if (topology_.multi_node()) return start_at_nets(pos);
  if (candidate_.pattern == Pattern::nvls) return try_gpu(kNowhere, candidate_.n, pos);
  start_inside(pos);
}

void RecursiveSearch::start_inside(const SearchPos& pos) {
  SearchPos given = pos;
  given.order = candidate_.n == 0 ? Order::by_number : Order::as_before;
  try_gpu(kNowhere, candidate_.n == 0 ? 0 : candidate_.channel(candidate_.n - 1).gpus.front(),
          given);
  if (candidate_.same_channels && candidate_.n > 0) return;
  for (int gpu = 0; gpu < topology_.gpus(); ++gpu) try_gpu(kNowhere, gpu, pos);
}

bool RecursiveSearch::may_start(int net, int gbps) const {
  if (ports_[static_cast<std::size_t>(net)] < static_cast<float>(gbps)) return false;
  const bool alternates = topology_.rules().pairs_rings
                              ? candidate_.pattern == Pattern::ring && candidate_.cross_nic == 2
                              : candidate_.cross_nic != 0 && topology_.rules().alternates_nics;
  return !alternates || candidate_.n % 2 == 0 ||
         net == candidate_.channel(candidate_.n - 1).net_out;
}

// Also of the ports that are the same one.
void RecursiveSearch::use_port(int net, int gbps) {
  for (int other = 0; other < topology_.nets(); ++other)
    if (topology_.same_port(net, other))
      ports_[static_cast<std::size_t>(other)] -= static_cast<float>(gbps);
}

void RecursiveSearch::start_at_nets(const SearchPos& pos) {
  const auto& nets = choice_.nets(candidate_.inter_type, -1);
  const int gbps = static_cast<int>(candidate_.inter_gbps);  // NCCL drops the fraction
  for (std::size_t i = 0; i < nets.size(); ++i) {
    if (candidate_.has_heads() && i > 0 && !topology_.rules().skips_used_heads) break;
    const bool turns = candidate_.has_heads() || topology_.rules().takes_turns;
    const auto first = turns ? static_cast<std::size_t>(candidate_.n) : 0;
    const int net = nets[(first + i) % nets.size()];
    if (!may_start(net, gbps)) continue;
    current().net_in = net;
    candidate_.latency_us = topology_.net(net).latency_us;
    use_port(net, gbps);
    const bool may_head =
        candidate_.has_heads() && static_cast<std::size_t>(candidate_.n) < nets.size();
    const bool is_head = may_head && start_at_head(net, pos);
    if (!candidate_.has_heads()) start_at(net, pos);
    use_port(net, -gbps);
    const bool asks_again = candidate_.n == 0 && has_references();
    if (is_head || (!asks_again && has_ended(*pos.budget))) break;
  }
}

// Heads: the GPU that uses the port, where it is none yet. Yields whether it was tried.
bool RecursiveSearch::start_at_head(int net, const SearchPos& pos) {
  const int gpu = topology_.gpu_near(net);
  if (gpu < 0) return false;
  for (int c = 0; c < candidate_.n && topology_.rules().skips_used_heads; ++c)
    if (candidate_.channel(c).gpus.front() == gpu) return false;
  try_gpu(topology_.net_vertex(net), gpu, pos);
  return true;
}

void RecursiveSearch::start_at(int net, const SearchPos& pos) {
  if (candidate_.n > 0 && (candidate_.same_channels || !topology_.rules().replays_only)) {
    SearchPos as_before = pos;
    as_before.order = Order::as_before;
    try_gpu(topology_.net_vertex(net), candidate_.channel(candidate_.n - 1).gpus.front(),
            as_before);
  }
  if (candidate_.n == 0 || !candidate_.same_channels) start_anywhere(net, pos);
}

// By number first, for a reference that costs little; then at the GPUs near the port.
void RecursiveSearch::start_anywhere(int net, const SearchPos& pos) {
  const int vertex = topology_.net_vertex(net);
  if (candidate_.n == 0 && has_references()) {
    Budget reference(kReferenceBudget);
    SearchPos by_number = pos;
    by_number.order = Order::by_number;
    by_number.budget = &reference;
    try_gpu(vertex, 0, by_number);
    if (reference.is_perfect()) pos.budget->end();
  }
  for (const int gpu : gpus_near(net)) {
    if (has_ended(*pos.budget)) return;
    try_gpu(vertex, gpu, pos);
  }
}

std::vector<int> RecursiveSearch::gpus_near(int net) const {
  if (!topology_.rules().asks_nearest_gpus) return gpus_in_turn(net);
  std::vector<int> gpus;
  const int user = topology_.gpu_near(net);
  if (topology_.rules().replays_only && user >= 0) gpus.push_back(user);
  for (const int gpu : topology_.gpus_nearest(net))
    if (gpus.empty() || gpu != gpus.front()) gpus.push_back(gpu);
  return gpus;
}

// Up to 2.26: those with most GB/s and fewest hops, another one first for each channel. In 2.18 in
// their order, those last whose PCI link is in use.
std::vector<int> RecursiveSearch::gpus_in_turn(int net) const {
  const int vertex = topology_.net_vertex(net);
  const auto farther = [&](int gpu) {
    const SearchPath& path = topology_.path(vertex, gpu);
    return std::pair(-path.gbps, path.hops.size());
  };
  auto best = farther(0);
  for (int gpu = 1; gpu < topology_.gpus(); ++gpu) best = std::min(best, farther(gpu));
  std::vector<int> gpus;
  if (-best.first < candidate_.inter_gbps) return gpus;
  const int first = topology_.rules().takes_turns ? candidate_.n : 0;
  for (int i = 0; i < topology_.gpus(); ++i)
    if (const int gpu = (first + i) % topology_.gpus(); farther(gpu) == best) gpus.push_back(gpu);
  if (!topology_.rules().takes_turns)
    std::ranges::stable_partition(gpus, [&](int gpu) { return order_.has_pci_left(gpu); });
  return gpus;
}

}  // namespace linerate::topo
