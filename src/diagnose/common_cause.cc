// Tries every link, rank, node and rack that slow pairs have in common, the narrowest first.
#include "diagnose/common_cause.h"

#include "stats/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace linerate {
namespace {

constexpr std::size_t kMaxCauses = 3;

// Directed pairs of ranks: how slow each is, and from where on that counts.
struct Slowdowns {
  std::map<RankPair, double> of;
  double slow_above = kSlowPair;

  bool slow(double slowdown) const { return slowdown > slow_above; }
  bool any_slow() const {
    return std::ranges::any_of(of, [&](const auto& entry) { return slow(entry.second); });
  }
};

// Somebody whose slowness would slow certain pairs.
struct Subject {
  std::string name;
  std::function<bool(const RankPair&)> concerns;
};

// What tests of one kind say of each direction, the worst where there are several.
std::map<RankPair, double> slowdowns_of(std::span<const PairSlowdown> tests, bool one_way) {
  std::map<RankPair, double> slowdowns;
  for (const auto& test : tests) {
    if (test.one_way != one_way) continue;
    const auto worsen = [&](const RankPair& pair) {
      double& slowdown = slowdowns[pair];
      slowdown = std::max(slowdown, test.slowdown);
    };
    worsen(test.pair);
    if (!one_way) worsen({test.pair.second, test.pair.first});
  }
  return slowdowns;
}

// The candidates for what makes the pairs slow; where two explain the same, the first one that says
// less is meant.
class Candidates {
 public:
  Candidates(const Slowdowns& slowdowns, std::span<const int> nodes) : nodes_(nodes) {
    several_nodes_ = std::set<int>(nodes.begin(), nodes.end()).size() > 1;
    for (const auto& [pair, slowdown] : slowdowns.of)
      if (slowdowns.slow(slowdown)) slow_.push_back(pair);
    add_links();
    add_ranks();
    if (several_nodes_) add_nodes();
    if (several_nodes_) add_parts();
  }

  const std::vector<Subject>& subjects() const { return subjects_; }

 private:
  int node(int rank) const { return nodes_[static_cast<std::size_t>(rank)]; }
  bool crosses(const RankPair& p) const { return node(p.first) != node(p.second); }
  std::set<int> slow_ranks() const;
  void add(std::string name, std::function<bool(const RankPair&)> concerns) {
    subjects_.push_back({std::move(name), std::move(concerns)});
  }
  void add_links();
  void add_ranks();
  void add_nodes();
  void add_parts();

  std::span<const int> nodes_;
  bool several_nodes_ = false;
  std::vector<RankPair> slow_;
  std::vector<Subject> subjects_;
};

std::set<int> Candidates::slow_ranks() const {
  std::set<int> ranks;
  for (const auto& [from, to] : slow_) ranks.insert({from, to});
  return ranks;
}

// Between two nodes or two ranks, one way and both.
void Candidates::add_links() {
  std::set<std::pair<int, int>> node_pairs;
  for (const auto& p : slow_)
    if (crosses(p)) node_pairs.insert({node(p.first), node(p.second)});
  for (const auto& link : node_pairs) {
    const int a = link.first, b = link.second;
    const auto one_way = [this, a, b](const RankPair& p) {
      return node(p.first) == a && node(p.second) == b;
    };
    add(fmt::format("the link from node {} to node {}", a, b), one_way);
    if (a < b)
      add(fmt::format("the link between node {} and node {}", a, b),
          [this, a, b](const RankPair& p) {
            return std::minmax(node(p.first), node(p.second)) == std::minmax(a, b);
          });
  }
  for (const auto& slow : slow_) {
    add(fmt::format("the link from rank {} to rank {}", slow.first, slow.second),
        [slow](const RankPair& p) { return p == slow; });
    if (slow.first < slow.second)
      add(fmt::format("the link between rank {} and rank {}", slow.first, slow.second),
          [slow](const RankPair& p) {
            return p == slow || p == RankPair{slow.second, slow.first};
          });
  }
}

void Candidates::add_ranks() {
  for (const int rank : slow_ranks())
    add(fmt::format("rank {}", rank),
        [rank](const RankPair& p) { return p.first == rank || p.second == rank; });
}

// A node's way to all others, their way to it, and its inside; the same of one of its ranks, which
// may have a NIC of its own.
void Candidates::add_nodes() {
  const auto ranks = slow_ranks();
  std::set<int> slow_nodes;
  for (const int rank : ranks) slow_nodes.insert(node(rank));
  for (const int n : slow_nodes) {
    add(node_direction(n, true, false),
        [this, n](const RankPair& p) { return crosses(p) && node(p.first) == n; });
    add(node_direction(n, false, true),
        [this, n](const RankPair& p) { return crosses(p) && node(p.second) == n; });
    add(node_direction(n, true, true), [this, n](const RankPair& p) {
      return crosses(p) && (node(p.first) == n || node(p.second) == n);
    });
    add(fmt::format("the inside of node {}", n),
        [this, n](const RankPair& p) { return node(p.first) == n && node(p.second) == n; });
  }
  for (const int rank : ranks) {
    add(fmt::format("rank {} towards other nodes, both ways", rank),
        [this, rank](const RankPair& p) {
          return crosses(p) && (p.first == rank || p.second == rank);
        });
    add(fmt::format("what rank {} sends to other nodes", rank),
        [this, rank](const RankPair& p) { return crosses(p) && p.first == rank; });
    add(fmt::format("what rank {} receives from other nodes", rank),
        [this, rank](const RankPair& p) { return crosses(p) && p.second == rank; });
  }
}

// Nodes that reach others slowly, as from one rack to the rest: those that send slowly against
// those that receive slowly, and what lies between two parts in both directions.
void Candidates::add_parts() {
  std::set<int> senders, receivers;
  std::map<int, std::set<int>> reached_slowly;
  for (const auto& p : slow_) {
    if (!crosses(p)) continue;
    senders.insert(node(p.first));
    receivers.insert(node(p.second));
    reached_slowly[node(p.first)].insert(node(p.second));
  }
  const auto name = [](const std::set<int>& part) {
    return fmt::format("{} {}", part.size() == 1 ? "node" : "nodes", fmt::join(part, ", "));
  };
  add(fmt::format("the way from {} to {}", name(senders), name(receivers)),
      [this, senders, receivers](const RankPair& p) {
        return senders.contains(node(p.first)) && receivers.contains(node(p.second));
      });
  for (const auto& [first, others] : reached_slowly) {
    std::set<int> near(nodes_.begin(), nodes_.end());
    for (const int other : others) near.erase(other);
    add(fmt::format("the way between {} and {}", name(near), name(others)),
        [this, near, others](const RankPair& p) {
          return near.contains(node(p.first)) ? others.contains(node(p.second))
                                              : near.contains(node(p.second));
        });
  }
}

// How well a subject explains what is slow.
struct Explained {
  std::vector<double> slowdowns{};  // of the slow pairs
  std::size_t healthy = 0;          // pairs that it should have slowed and did not
};

Explained explained_by(const Subject& subject, const Slowdowns& slowdowns) {
  Explained explained;
  for (const auto& [pair, slowdown] : slowdowns.of) {
    if (!subject.concerns(pair)) continue;
    if (slowdowns.slow(slowdown))
      explained.slowdowns.push_back(slowdown);
    else
      ++explained.healthy;
  }
  return explained;
}

// The subject that explains most, of those all of whose pairs are slow; null: none.
const Subject* best_of(const std::vector<Subject>& subjects, const Slowdowns& slowdowns) {
  const Subject* best = nullptr;
  std::size_t most = 0;
  for (const auto& subject : subjects) {
    auto explained = explained_by(subject, slowdowns);
    if (explained.healthy > 0 || explained.slowdowns.size() <= most) continue;
    best = &subject;
    most = explained.slowdowns.size();
  }
  return best;
}

std::vector<CommonCause> explain(Slowdowns slowdowns, std::span<const int> nodes) {
  std::vector<CommonCause> causes;
  while (slowdowns.any_slow() && causes.size() < kMaxCauses) {
    const Candidates candidates(slowdowns, nodes);
    const Subject* const best = best_of(candidates.subjects(), slowdowns);
    if (best == nullptr) break;
    auto explained = explained_by(*best, slowdowns).slowdowns;
    causes.push_back({.subject = best->name,
                      .reached = 1 / stats::summarize(explained).median,
                      .pairs = explained.size()});
    std::erase_if(slowdowns.of, [&](const auto& entry) { return best->concerns(entry.first); });
  }
  return causes;
}

}  // namespace

std::vector<CommonCause> common_causes(std::span<const PairSlowdown> tests,
                                       std::span<const int> nodes, double slow_above) {
  Slowdowns slowdowns{.of = slowdowns_of(tests, true), .slow_above = slow_above};
  if (!slowdowns.any_slow()) slowdowns.of = slowdowns_of(tests, false);
  return explain(std::move(slowdowns), nodes);
}

std::string node_direction(int node, bool sends, bool receives) {
  if (sends && receives)
    return fmt::format("what node {} sends to others and receives from them", node);
  return sends ? fmt::format("what node {} sends to others", node)
               : fmt::format("what node {} receives from others", node);
}

}  // namespace linerate
