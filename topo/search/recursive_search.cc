// The GPUs of a channel.
#include "topo/search/recursive_search.h"

#include <algorithm>

namespace linerate::topo {

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

}  // namespace linerate::topo
