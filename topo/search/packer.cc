// See packer.h: the GPUs of a channel.
#include "topo/search/packer.h"

#include <algorithm>

namespace linerate::topo {

Packer::Packer(const Ground& ground, NetChoice& choice, Draft& draft, Draft& best)
    : ground_(ground),
      choice_(choice),
      draft_(draft),
      best_(best),
      load_(ground),
      order_(ground, load_) {
  for (int net = 0; net < ground.nets(); ++net) ports_.push_back(ground.net_gbps(net));
}

// A channel that begins anywhere first asks for a reference, with a budget of its own.
bool Packer::has_references() const { return ground_.multi_node() && !ground_.has_switch(); }

// Whether nothing more can come of trying: neither now, nor for a reference of later channels,
// which begins with what this one leaves of the links.
bool Packer::has_ended(const Budget& budget) const {
  return budget.is_over() && (!has_references() || ground_.gives_back_all());
}

// `share` of the channel's speed; path types are asked for whole channels only, as NCCL does.
bool Packer::go(int from, int to, float share) {
  if (from == kNowhere) return true;
  const Way& way = ground_.way(from, to);
  const bool inside = (from < ground_.gpus() || from == ground_.switch_spot()) &&
                      (to < ground_.gpus() || to == ground_.switch_spot());
  const int farthest = inside ? draft_.intra_type : draft_.inter_type;
  if (way.type >= ground_.place(PathType::dis)) return false;
  if (share == 1 && (way.type > farthest || (draft_.is_tree() && way.back_type > farthest)))
    return false;
  if (!load_.take(way, (inside ? draft_.intra_gbps : draft_.inter_gbps) * share)) return false;
  count_hops(way, share);
  return true;
}

void Packer::undo(int from, int to, float share) {
  if (from == kNowhere) return;
  const Way& way = ground_.way(from, to);
  const bool inside = (from < ground_.gpus() || from == ground_.switch_spot()) &&
                      (to < ground_.gpus() || to == ground_.switch_spot());
  load_.give_back(way, (inside ? draft_.intra_gbps : draft_.inter_gbps) * share);
  count_hops(way, -share);
}

// Parts of hops are cut off from the sum, as NCCL does.
void Packer::count_hops(const Way& way, float share) {
  const float hops = share * static_cast<float>(way.hops);
  draft_.hops = static_cast<int>(static_cast<float>(draft_.hops) + hops);
}

void Packer::try_gpu(int from, int gpu, const Stand& stand) {
  if (!go(from, gpu, 1)) return;
  order_.enter(gpu, draft_.n);
  visit(gpu, stand);
  order_.leave(gpu, draft_.n);
  undo(from, gpu, 1);
}

void Packer::visit(int gpu, const Stand& stand) {
  if (!stand.budget->spend()) return;
  if (stand.step == ground_.gpus()) return complete(*stand.budget);
  current().gpus[static_cast<std::size_t>(stand.step)] = gpu;
  if (stand.step == stand.to_net) return back_to_net(gpu, stand);
  if (draft_.pattern == Pattern::nvls) return try_switch(gpu, stand);
  if (draft_.pattern == Pattern::collnet_direct) return try_direct(gpu, stand);
  if (stand.step < ground_.gpus() - 1) return onward(gpu, stand);
  if (stand.step == stand.to_first) return close_ring(gpu, stand);
  visit(gpu, {.step = ground_.gpus(), .order = stand.order, .budget = stand.budget});
}

void Packer::complete(Budget& budget) {
  ++draft_.n;
  if (improves(ground_, draft_, best_)) {
    best_ = draft_;
    if (draft_.n == draft_.max_channels) budget.end();
  }
  if (draft_.n < draft_.max_channels) next_channel(budget);
  --draft_.n;
}

// A balanced tree takes half of its speed at each of the first two GPUs.
void Packer::back_to_net(int gpu, const Stand& stand) {
  const bool balanced = draft_.pattern == Pattern::balanced_tree;
  const float speed = draft_.inter_gbps;
  Stand on = stand;
  on.to_net = balanced && stand.step == 0 ? 1 : -1;
  const auto& nets = choice_.nets(draft_.inter_type, gpu);
  for (const int net : nets) {
    if (has_ended(*stand.budget)) return;
    if (!choice_.may_end(draft_, net, stand.step)) continue;
    if (balanced) draft_.inter_gbps = speed / 2;
    const bool reached = go(gpu, ground_.net_spot(net), 1);
    draft_.inter_gbps = speed;
    if (!reached) continue;
    current().net_out = net;
    visit(gpu, on);
    if (balanced) draft_.inter_gbps = speed / 2;
    undo(gpu, ground_.net_spot(net), 1);
    draft_.inter_gbps = speed;
  }
}

GpuQueue Packer::followers(int gpu, const Stand& stand, int step) const {
  switch (stand.order) {
    case Order::by_number:
      return GpuQueue({step});
    case Order::as_before:
      return GpuQueue({draft_.channel(draft_.n - 1).gpus[static_cast<std::size_t>(step)]});
    case Order::free:
      break;
  }
  const auto need = stand.to_net == -1     ? NicNeed::none
                    : stand.to_net == step ? NicNeed::next
                                           : NicNeed::later;
  return order_.after(gpu, need, draft_);
}

void Packer::onward(int gpu, const Stand& stand) {
  Stand on = stand;
  ++on.step;
  auto queue = followers(gpu, stand, on.step);
  for (int next = queue.next(); next != GpuQueue::kNone; next = queue.next()) {
    try_gpu(gpu, next, on);
    if (has_ended(*stand.budget)) return;
  }
}

void Packer::close_ring(int gpu, const Stand& stand) {
  const int first = current().gpus.front();
  if (!go(gpu, first, 1)) return;
  Stand on = stand;
  ++on.step;
  on.to_first = -1;
  visit(first, on);
  undo(gpu, first, 1);
}

// To or from every GPU at once, twice as much of the head, which also sends what it has reduced.
bool Packer::load_switch(int gpu, bool inward, int& done) {
  const int nvs = ground_.switch_spot();
  for (; done < ground_.gpus(); ++done) {
    const float share = done == gpu ? 2 : 1;
    if (!(inward ? go(done, nvs, share) : go(nvs, done, share))) return false;
  }
  return true;
}

void Packer::try_switch(int gpu, const Stand& stand) {
  const int nvs = ground_.switch_spot();
  int outward = 0, inward = 0;
  if (load_switch(gpu, false, outward) && load_switch(gpu, true, inward))
    visit(gpu, {.step = ground_.gpus(), .budget = stand.budget});
  while (inward-- > 0) undo(inward, nvs, inward == gpu ? 2 : 1);
  while (outward-- > 0) undo(nvs, outward, outward == gpu ? 2 : 1);
}

// The head exchanges an equal share with every other GPU.
bool Packer::load_peers(int gpu, bool outward, int& done) {
  const float share = 1.0F / static_cast<float>(ground_.gpus() - 1);
  for (; done < ground_.gpus(); ++done)
    if (!(outward ? go(gpu, done, share) : go(done, gpu, share))) return false;
  return true;
}

void Packer::try_direct(int gpu, const Stand& stand) {
  const float share = 1.0F / static_cast<float>(ground_.gpus() - 1);
  int outward = 0, inward = 0;
  if (load_peers(gpu, true, outward) && load_peers(gpu, false, inward)) {
    auto place = current().gpus.begin() + 1;
    for (int other = 0; other < ground_.gpus(); ++other)
      if (other != gpu) *place++ = other;
    visit(gpu, {.step = ground_.gpus(), .budget = stand.budget});
  }
  while (inward-- > 0) undo(inward, gpu, share);
  while (outward-- > 0) undo(gpu, outward, share);
}

}  // namespace linerate::topo
