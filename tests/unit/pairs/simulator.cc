// Each end of a pair takes an uplink of its leaf by a hash; what crosses one shares it evenly.
#include "simulator.h"

#include "base/splitmix.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace linerate::pairs {
namespace {

constexpr double kNicGbps = 25;

}  // namespace

Cluster::Cluster(ClusterOptions options, std::vector<Injected> faults, unsigned seed)
    : options_(options), faults_(std::move(faults)), random_(seed) {
  for (int node = 0; node < options_.nnodes; ++node)
    leaf_.push_back(node / options_.nodes_per_leaf);
  std::ranges::shuffle(leaf_, random_);
}

Layout Cluster::layout() const {
  std::vector<int> nodes;
  for (int node = 0; node < options_.nnodes; ++node)
    nodes.insert(nodes.end(), static_cast<std::size_t>(options_.nrails), node);
  return layout_of(nodes);
}

std::vector<Cluster::Cable> Cluster::cables(Pair pair) const {
  const int rail = pair.first % options_.nrails;
  const int a = leaf_[static_cast<std::size_t>(pair.first / options_.nrails)];
  const int b = leaf_[static_cast<std::size_t>(pair.second / options_.nrails)];
  if (a == b) return {};
  const auto hash = splitmix64(static_cast<std::uint64_t>(pair.first) << 32 |
                               static_cast<std::uint64_t>(pair.second));
  const auto choice = [&](int end) {
    return static_cast<int>((hash >> 16 * end & 0xffff) %
                            static_cast<std::uint64_t>(options_.uplinks));
  };
  return {{a, rail, choice(0)}, {b, rail, choice(1)}};
}

double Cluster::share_of(const Injected& fault) { return chance(fault.often) ? fault.share : 1; }

bool Cluster::is_slowed(int rank, int kind, int node) {
  if (kind == 0) return true;
  return (kind == 1 || rank / options_.nrails == node) && chance(0.5);
}

void Cluster::begin_or_end_burst() {
  const auto& [often, length] = options_.bursts;
  if (often <= 0) return;
  if (!share_in_burst_.empty()) {
    if (chance(1 / length)) share_in_burst_.clear();
    return;
  }
  if (!chance(often)) return;
  const auto below = [&](int most) {
    return std::uniform_int_distribution<>(0, most - 1)(random_);
  };
  const int kind = below(3), node = below(options_.nnodes);
  const double share = std::uniform_real_distribution<>(0.4, 0.8)(random_);
  for (int rank = 0; rank < options_.nnodes * options_.nrails; ++rank)
    share_in_burst_.push_back(is_slowed(rank, kind, node) ? share : 1);
}

std::vector<Rate> Cluster::measure(const Round& round) {
  begin_or_end_burst();
  std::map<int, double> nic;
  std::map<Cable, double> cable;
  for (const auto& fault : faults_) {
    const double share = share_of(fault);
    if (fault.kind == FaultKind::link)
      cable[{fault.leaf, 0, fault.uplink}] = share < 1 ? share : options_.uplink_of_nic;
    else if (fault.kind == FaultKind::rank)
      nic[fault.rank] = share;
    else
      for (int rail = 0; rail < options_.nrails; ++rail) nic[fault.rank + rail] = share;
  }
  std::map<Cable, int> users;
  for (const auto& pair : round)
    for (const auto& crossed : cables(pair)) ++users[crossed];
  std::normal_distribution<> noise(0, options_.noise);
  std::vector<Rate> rates;
  for (const auto& pair : round) {
    double share = 1;
    for (const int rank : {pair.first, pair.second})
      if (const auto found = nic.find(rank); found != nic.end())
        share = std::min(share, found->second);
    for (const auto& crossed : cables(pair)) {
      const auto found = cable.find(crossed);
      const double nics = found == cable.end() ? options_.uplink_of_nic : found->second;
      share = std::min(share, nics / users[crossed]);
    }
    if (!share_in_burst_.empty())
      share *= std::min(share_in_burst_[static_cast<std::size_t>(pair.first)],
                        share_in_burst_[static_cast<std::size_t>(pair.second)]);
    const auto drawn = [&] { return kNicGbps * share * std::exp(noise(random_)); };
    const double forward = drawn();
    rates.push_back({pair, forward, drawn()});
  }
  return rates;
}

std::vector<Injected> drawn_faults(const ClusterOptions& options, double share, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto between = [&](double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random);
  };
  const auto most = static_cast<int>(share * options.nnodes);
  const int count = std::uniform_int_distribution<>(0, most)(random);
  std::vector<int> nodes(static_cast<std::size_t>(options.nnodes));
  std::iota(nodes.begin(), nodes.end(), 0);
  std::ranges::shuffle(nodes, random);
  std::vector<Injected> faults;
  for (int i = 0; i < count; ++i) {
    const int first = nodes[static_cast<std::size_t>(i)] * options.nrails;
    const int rail = std::uniform_int_distribution<>(0, options.nrails - 1)(random);
    const int kind = std::uniform_int_distribution<>(0, 3)(random);
    if (kind == 0)
      faults.push_back({.kind = FaultKind::node, .rank = first, .share = between(0.5, 0.9)});
    else if (kind == 1)
      faults.push_back(
          {.rank = first + rail, .share = between(0.5, 0.8), .often = between(0.7, 1)});
    else
      faults.push_back({.rank = first + rail, .share = between(0.5, 0.9)});
  }
  return faults;
}

Injected drawn_cable(const ClusterOptions& options, unsigned seed) {
  std::mt19937_64 random(seed);
  const auto below = [&](int most) { return std::uniform_int_distribution<>(0, most - 1)(random); };
  return {.kind = FaultKind::link,
          .leaf = below(options.nnodes / options.nodes_per_leaf),
          .uplink = below(options.uplinks),
          .share = std::uniform_real_distribution<>(0.4, 0.8)(random)};
}

std::string Score::text() const {
  std::string text;
  for (const auto& fault : missed)
    text += fmt::format("missed {} of rank {} at {:.2f}, often {:.2f}; ", name_of(fault.kind),
                        fault.rank, fault.share, fault.often);
  for (const auto& fault : wrong)
    text += fmt::format("invented {} of rank {} at {:.2f}; ", name_of(fault.kind),
                        fault.ranks.front(), fault.share);
  return text;
}

namespace {

// Whether the fault that was named is the one that is there.
bool names(const Cluster& cluster, const ClusterOptions& options, const Fault& fault,
           const Injected& there) {
  if (there.kind == FaultKind::link)
    return fault.kind == FaultKind::link &&
           std::ranges::any_of(cluster.cables({fault.ranks[0], fault.ranks[1]}),
                               [&](const Cluster::Cable& cable) {
                                 return cable.leaf == there.leaf && cable.uplink == there.uplink;
                               });
  if (fault.kind == FaultKind::link || fault.kind == FaultKind::rail) return false;
  const bool whole = there.kind == FaultKind::node || options.nrails == 1;
  return fault.ranks.front() == there.rank && (fault.kind == FaultKind::node) == whole;
}

}  // namespace

Score searched(const ClusterOptions& options, const std::vector<Injected>& faults, unsigned seed) {
  Cluster cluster(options, faults, seed);
  Search search(cluster.layout(), {.seed = seed});
  while (const auto round = search.next()) search.take(cluster.measure(*round));
  const auto outcome = search.outcome();
  Score score{.there = faults.size(),
              .slots = outcome.slots,
              .pairs = outcome.pairs,
              .parts = outcome.parts,
              .visible_share = outcome.visible_share};
  for (const auto& there : faults) {
    const bool named = std::ranges::any_of(
        outcome.faults, [&](const Fault& fault) { return names(cluster, options, fault, there); });
    score.named += named ? 1 : 0;
    if (!named) score.missed.push_back(there);
  }
  for (const auto& fault : outcome.faults)
    if (std::ranges::none_of(
            faults, [&](const Injected& there) { return names(cluster, options, fault, there); }))
      score.wrong.push_back(fault);
  score.invented = score.wrong.size();
  return score;
}

}  // namespace linerate::pairs
