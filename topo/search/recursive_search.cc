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
  return topology_.multi_node() && !topology_.has_switch();
}

// Whether nothing more can come of trying: neither now, nor for a reference of later channels,
// which begins with what this one leaves of the links.
bool RecursiveSearch::has_ended(const Budget& budget) const {
  return budget.is_over() && (!has_references() || topology_.gives_back_all());
}

// `share` of the channel's speed; path types are asked for whole channels only, as NCCL does.
bool RecursiveSearch::go(int from, int to, float share) {
  if (from == kNowhere) return true;
  const SearchPath& path = topology_.path(from, to);
  const bool inside = (from < topology_.gpus() || from == topology_.switch_vertex()) &&
                      (to < topology_.gpus() || to == topology_.switch_vertex());
  const int farthest = inside ? candidate_.intra_type : candidate_.inter_type;
  if (path.type >= topology_.place(PathType::dis)) return false;
  if (share == 1 && (path.type > farthest || (candidate_.is_tree() && path.back_type > farthest)))
    return false;
  if (!load_.take(path, (inside ? candidate_.intra_gbps : candidate_.inter_gbps) * share))
    return false;
  count_hops(path, share);
  return true;
}

void RecursiveSearch::undo(int from, int to, float share) {
  if (from == kNowhere) return;
  const SearchPath& path = topology_.path(from, to);
  const bool inside = (from < topology_.gpus() || from == topology_.switch_vertex()) &&
                      (to < topology_.gpus() || to == topology_.switch_vertex());
  load_.give_back(path, (inside ? candidate_.intra_gbps : candidate_.inter_gbps) * share);
  count_hops(path, -share);
}

// Parts of hops are cut off from the sum, as NCCL does.
void RecursiveSearch::count_hops(const SearchPath& path, float share) {
  const float hops = share * static_cast<float>(path.hop_count);
  candidate_.hops = static_cast<int>(static_cast<float>(candidate_.hops) + hops);
}

void RecursiveSearch::try_gpu(int from, int gpu, const SearchPos& pos) {
  if (!go(from, gpu, 1)) return;
  order_.enter(gpu, candidate_.n);
  visit(gpu, pos);
  order_.leave(gpu, candidate_.n);
  undo(from, gpu, 1);
}

void RecursiveSearch::visit(int gpu, const SearchPos& pos) {
  if (!pos.budget->spend()) return;
  if (pos.step == topology_.gpus()) return complete(*pos.budget);
  current().gpus[static_cast<std::size_t>(pos.step)] = gpu;
  if (pos.step == pos.back_to_net) return return_to_net(gpu, pos);
  if (candidate_.pattern == Pattern::nvls) return try_switch(gpu, pos);
  if (candidate_.pattern == Pattern::collnet_direct) return try_direct(gpu, pos);
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
  const float speed = candidate_.inter_gbps;
  SearchPos on = pos;
  on.back_to_net = balanced && pos.step == 0 ? 1 : -1;
  const auto& nets = choice_.nets(candidate_.inter_type, gpu);
  for (const int net : nets) {
    if (has_ended(*pos.budget)) return;
    if (!choice_.may_end(candidate_, net, pos.step)) continue;
    if (balanced) candidate_.inter_gbps = speed / 2;
    const bool reached = go(gpu, topology_.net_vertex(net), 1);
    candidate_.inter_gbps = speed;
    if (!reached) continue;
    current().net_out = net;
    visit(gpu, on);
    if (balanced) candidate_.inter_gbps = speed / 2;
    undo(gpu, topology_.net_vertex(net), 1);
    candidate_.inter_gbps = speed;
  }
}

GpuQueue RecursiveSearch::next_gpus(int gpu, const SearchPos& pos, int step) const {
  switch (pos.order) {
    case Order::by_number:
      return GpuQueue({step});
    case Order::as_before:
      return GpuQueue({candidate_.channel(candidate_.n - 1).gpus[static_cast<std::size_t>(step)]});
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
  auto queue = next_gpus(gpu, pos, on.step);
  for (int next = queue.next(); next != GpuQueue::kNone; next = queue.next()) {
    try_gpu(gpu, next, on);
    if (has_ended(*pos.budget)) return;
  }
}

void RecursiveSearch::close_ring(int gpu, const SearchPos& pos) {
  const int first = current().gpus.front();
  if (!go(gpu, first, 1)) return;
  SearchPos on = pos;
  ++on.step;
  on.back_to_first = -1;
  visit(first, on);
  undo(gpu, first, 1);
}

// To or from every GPU at once, twice as much of the head, which also sends what it has reduced.
bool RecursiveSearch::load_switch(int gpu, bool inward, int& done) {
  const int nvs = topology_.switch_vertex();
  for (; done < topology_.gpus(); ++done) {
    const float share = done == gpu ? 2 : 1;
    if (!(inward ? go(done, nvs, share) : go(nvs, done, share))) return false;
  }
  return true;
}

void RecursiveSearch::try_switch(int gpu, const SearchPos& pos) {
  const int nvs = topology_.switch_vertex();
  int outward = 0, inward = 0;
  if (load_switch(gpu, false, outward) && load_switch(gpu, true, inward))
    visit(gpu, {.step = topology_.gpus(), .budget = pos.budget});
  while (inward-- > 0) undo(inward, nvs, inward == gpu ? 2 : 1);
  while (outward-- > 0) undo(nvs, outward, outward == gpu ? 2 : 1);
}

// The head exchanges an equal share with every other GPU.
bool RecursiveSearch::load_peers(int gpu, bool outward, int& done) {
  const float share = 1.0F / static_cast<float>(topology_.gpus() - 1);
  for (; done < topology_.gpus(); ++done)
    if (!(outward ? go(gpu, done, share) : go(done, gpu, share))) return false;
  return true;
}

void RecursiveSearch::try_direct(int gpu, const SearchPos& pos) {
  const float share = 1.0F / static_cast<float>(topology_.gpus() - 1);
  int outward = 0, inward = 0;
  if (load_peers(gpu, true, outward) && load_peers(gpu, false, inward)) {
    auto place = current().gpus.begin() + 1;
    for (int other = 0; other < topology_.gpus(); ++other)
      if (other != gpu) *place++ = other;
    visit(gpu, {.step = topology_.gpus(), .budget = pos.budget});
  }
  while (inward-- > 0) undo(inward, gpu, share);
  while (outward-- > 0) undo(gpu, outward, share);
}

RecursiveSearch::SearchPos RecursiveSearch::start(Budget& budget) const {
  const int last = topology_.gpus() - 1;
  const bool ring = candidate_.pattern == Pattern::ring;
  if (!topology_.multi_node()) return {.back_to_first = ring ? last : -1, .budget = &budget};
  const int back_to_net = ring ? last : candidate_.pattern == Pattern::split_tree ? 1 : 0;
  return {.back_to_net = back_to_net, .budget = &budget};
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
  if (candidate_.collnet && !topology_.net(net).coll) return false;
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
    const int net = nets[(static_cast<std::size_t>(candidate_.n) + i) % nets.size()];
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
  if (candidate_.n == 0 && !topology_.has_switch()) {
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

// Up to 2.26: those with most GB/s and fewest hops, another one first for each channel.
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
  for (int i = 0; i < topology_.gpus(); ++i)
    if (const int gpu = (candidate_.n + i) % topology_.gpus(); farther(gpu) == best)
      gpus.push_back(gpu);
  return gpus;
}

}  // namespace linerate::topo
