// See packer.h: where a channel begins.
#include "topo/search/packer.h"

#include <algorithm>
#include <utility>

namespace linerate::topo {
namespace {

constexpr int kReferenceBudget = 1 << 10;  // of the order by number, beside the attempt's own

}  // namespace

Packer::Stand Packer::start(Budget& budget) const {
  const int last = ground_.gpus() - 1;
  const bool ring = draft_.pattern == Pattern::ring;
  if (!ground_.multi_node()) return {.to_first = ring ? last : -1, .budget = &budget};
  const int to_net = ring ? last : draft_.pattern == Pattern::split_tree ? 1 : 0;
  return {.to_net = to_net, .budget = &budget};
}

void Packer::next_channel(Budget& budget) {
  const Stand stand = start(budget);
  if (ground_.multi_node()) return start_at_nets(stand);
  if (draft_.pattern == Pattern::nvls) return try_gpu(kNowhere, draft_.n, stand);
  start_inside(stand);
}

void Packer::start_inside(const Stand& stand) {
  Stand given = stand;
  given.order = draft_.n == 0 ? Order::by_number : Order::as_before;
  try_gpu(kNowhere, draft_.n == 0 ? 0 : draft_.channel(draft_.n - 1).gpus.front(), given);
  if (draft_.same_channels && draft_.n > 0) return;
  for (int gpu = 0; gpu < ground_.gpus(); ++gpu) try_gpu(kNowhere, gpu, stand);
}

bool Packer::may_start(int net, int gbps) const {
  if (draft_.collnet && !ground_.net(net).coll) return false;
  if (ports_[static_cast<std::size_t>(net)] < static_cast<float>(gbps)) return false;
  const bool alternates = ground_.rules().pairs_rings
                              ? draft_.pattern == Pattern::ring && draft_.cross_nic == 2
                              : draft_.cross_nic != 0 && ground_.rules().alternates_nics;
  return !alternates || draft_.n % 2 == 0 || net == draft_.channel(draft_.n - 1).net_out;
}

// Also of the ports that are the same one.
void Packer::use_port(int net, int gbps) {
  for (int other = 0; other < ground_.nets(); ++other)
    if (ground_.same_port(net, other))
      ports_[static_cast<std::size_t>(other)] -= static_cast<float>(gbps);
}

void Packer::start_at_nets(const Stand& stand) {
  const auto& nets = choice_.nets(draft_.inter_type, -1);
  const int gbps = static_cast<int>(draft_.inter_gbps);  // NCCL drops the fraction
  for (std::size_t i = 0; i < nets.size(); ++i) {
    if (draft_.has_heads() && i > 0 && !ground_.rules().skips_used_heads) break;
    const int net = nets[(static_cast<std::size_t>(draft_.n) + i) % nets.size()];
    if (!may_start(net, gbps)) continue;
    current().net_in = net;
    draft_.latency_us = ground_.net(net).latency_us;
    use_port(net, gbps);
    const bool may_head = draft_.has_heads() && static_cast<std::size_t>(draft_.n) < nets.size();
    const bool is_head = may_head && start_at_head(net, stand);
    if (!draft_.has_heads()) start_at(net, stand);
    use_port(net, -gbps);
    const bool asks_again = draft_.n == 0 && has_references();
    if (is_head || (!asks_again && has_ended(*stand.budget))) break;
  }
}

// Heads: the GPU that uses the port, where it is none yet. Yields whether it was tried.
bool Packer::start_at_head(int net, const Stand& stand) {
  const int gpu = ground_.gpu_near(net);
  if (gpu < 0) return false;
  for (int c = 0; c < draft_.n && ground_.rules().skips_used_heads; ++c)
    if (draft_.channel(c).gpus.front() == gpu) return false;
  try_gpu(ground_.net_spot(net), gpu, stand);
  return true;
}

void Packer::start_at(int net, const Stand& stand) {
  if (draft_.n > 0 && (draft_.same_channels || !ground_.rules().replays_only)) {
    Stand as_before = stand;
    as_before.order = Order::as_before;
    try_gpu(ground_.net_spot(net), draft_.channel(draft_.n - 1).gpus.front(), as_before);
  }
  if (draft_.n == 0 || !draft_.same_channels) start_anywhere(net, stand);
}

// By number first, for a reference that costs little; then at the GPUs near the port.
void Packer::start_anywhere(int net, const Stand& stand) {
  const int spot = ground_.net_spot(net);
  if (draft_.n == 0 && !ground_.has_switch()) {
    Budget reference(kReferenceBudget);
    Stand by_number = stand;
    by_number.order = Order::by_number;
    by_number.budget = &reference;
    try_gpu(spot, 0, by_number);
    if (reference.is_perfect()) stand.budget->end();
  }
  for (const int gpu : gpus_near(net)) {
    if (has_ended(*stand.budget)) return;
    try_gpu(spot, gpu, stand);
  }
}

std::vector<int> Packer::gpus_near(int net) const {
  if (!ground_.rules().asks_nearest_gpus) return gpus_in_turn(net);
  std::vector<int> gpus;
  const int user = ground_.gpu_near(net);
  if (ground_.rules().replays_only && user >= 0) gpus.push_back(user);
  for (const int gpu : ground_.gpus_nearest(net))
    if (gpus.empty() || gpu != gpus.front()) gpus.push_back(gpu);
  return gpus;
}

// Up to 2.26: those with most GB/s and fewest hops, another one first for each channel.
std::vector<int> Packer::gpus_in_turn(int net) const {
  const int spot = ground_.net_spot(net);
  const auto farther = [&](int gpu) {
    const Way& way = ground_.way(spot, gpu);
    return std::pair(-way.gbps, way.legs.size());
  };
  auto best = farther(0);
  for (int gpu = 1; gpu < ground_.gpus(); ++gpu) best = std::min(best, farther(gpu));
  std::vector<int> gpus;
  if (-best.first < draft_.inter_gbps) return gpus;
  for (int i = 0; i < ground_.gpus(); ++i)
    if (const int gpu = (draft_.n + i) % ground_.gpus(); farther(gpu) == best) gpus.push_back(gpu);
  return gpus;
}

}  // namespace linerate::topo
