// Where a channel begins.
#include "topo/search/recursive_search.h"

#include <algorithm>
#include <utility>

namespace linerate::topo {
namespace {

constexpr int kReferenceBudget = 1 << 10;  // of the order by number, beside the attempt's own

}  // namespace

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
