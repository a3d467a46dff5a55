// Each pair counts for every link, rank and node that would slow it, since trying them one by one
// takes minutes for the pairs of 256 ranks; then for the parts of a cluster, of which there are
// few.
#include "diagnose/common_cause.h"

#include "stats/summary.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace linerate {
namespace {

constexpr std::size_t kMaxCauses = 3;

constexpr std::string_view kNodeSends = "what node {} sends to others";
constexpr std::string_view kNodeReceives = "what node {} receives from others";
constexpr std::string_view kNodeDoesBoth = "what node {} sends to others and receives from them";

// Somebody whose slowness would slow certain pairs. It explains them where none is healthy.
struct Subject {
  std::string_view text{};            // with its ends left open
  std::size_t slow = 0, healthy = 0;  // pairs

  bool explains_more_than(const Subject& other) const { return healthy == 0 && slow > other.slow; }
};

// Its kind, its ends, and which of an end's ways. In the order of those that explain the same
// pairs: the first one, which says least, is meant.
using Place = std::array<int, 4>;
using Subjects = std::map<Place, Subject>;

// A pair of ranks in one direction, and the worst of its tests.
struct Directed {
  RankPair nodes{};
  double slowdown = 1;
  bool slow = false;
  std::vector<Subject*> subjects{};  // that would slow it

  bool crosses() const { return nodes.first != nodes.second; }
  void count_for(Subject& subject) const { ++(slow ? subject.slow : subject.healthy); }
};

// What tests of one kind say of each direction.
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

// A link and both ways of it; a rank; and between nodes a node's way to all others, their way to
// it, and both, likewise of one of its ranks, which may have a NIC of its own.
std::vector<Subject*> subjects_of(const RankPair& pair, const RankPair& nodes, bool several_nodes,
                                  Subjects& all) {
  std::vector<Subject*> subjects;
  const auto add = [&](const Place& place, std::string_view text) {
    subjects.push_back(&all.try_emplace(place, Subject{text}).first->second);
  };
  const auto [from, to] = pair;
  const auto [from_node, to_node] = nodes;
  add({2, from, to}, "the link from rank {} to rank {}");
  add({3, std::min(from, to), std::max(from, to)}, "the link between rank {} and rank {}");
  for (const int rank : {from, to}) add({4, rank}, "rank {}");
  if (from_node == to_node) {
    if (several_nodes) add({5, from_node, 0, 3}, "the inside of node {}");
    return subjects;
  }
  add({0, from_node, to_node}, "the link from node {} to node {}");
  add({1, std::min(from_node, to_node), std::max(from_node, to_node)},
      "the link between node {} and node {}");
  add({5, from_node, 0, 0}, kNodeSends);
  add({5, to_node, 0, 1}, kNodeReceives);
  for (const int node : {from_node, to_node}) add({5, node, 0, 2}, kNodeDoesBoth);
  add({6, from, 0, 0}, "what rank {} sends to other nodes");
  add({6, to, 0, 1}, "what rank {} receives from other nodes");
  for (const int rank : {from, to}) add({6, rank, 0, 2}, "rank {} towards other nodes, both ways");
  return subjects;
}

// Two parts of the nodes, as a rack and the rest.
struct Parts {
  std::set<int> some{}, others{};
  bool both_ways = false;

  bool lead(const RankPair& nodes) const {
    const auto leads = [&](int from, int to) { return some.contains(from) && others.contains(to); };
    return leads(nodes.first, nodes.second) || (both_ways && leads(nodes.second, nodes.first));
  }
  std::string name() const {
    const auto name_of = [](const std::set<int>& part) {
      return fmt::format("{} {}", part.size() == 1 ? "node" : "nodes", fmt::join(part, ", "));
    };
    return fmt::format("the way {} {} {} {}", both_ways ? "between" : "from", name_of(some),
                       both_ways ? "and" : "to", name_of(others));
  }
};

// Those that send slowly against those that receive slowly; and both ways, those that a node
// reaches slowly against all others, unless either is one node alone, which is a subject.
std::vector<Parts> parts_of(const std::vector<Directed>& tests, const std::set<int>& nodes) {
  Parts slow;
  std::map<int, std::set<int>> reached_slowly;
  for (const auto& test : tests) {
    if (!test.slow || !test.crosses()) continue;
    const auto [from, to] = test.nodes;
    slow.some.insert(from);
    slow.others.insert(to);
    reached_slowly[from].insert(to);
  }
  std::vector<Parts> all{slow};
  std::set<std::set<int>> seen;
  for (const auto& [_, others] : reached_slowly) {
    auto near = nodes;
    for (const int other : others) near.erase(other);
    if (near.size() < 2 || others.size() < 2 || seen.contains(others)) continue;
    if (seen.insert(near).second) all.push_back({near, others, true});
  }
  return all;
}

struct Cause {
  std::string name{};
  Subject subject{};
  std::function<bool(const Directed&)> concerns{};  // null: nobody explains anything
};

// What explains most of the slow pairs. `subjects` are those of all tests.
Cause best_of(const std::vector<Directed>& tests, Subjects& subjects, const std::set<int>& nodes) {
  for (auto& [_, subject] : subjects) subject.slow = subject.healthy = 0;
  for (const auto& test : tests)
    for (Subject* const subject : test.subjects) test.count_for(*subject);
  Cause best;
  for (const auto& [place, subject] : subjects)
    if (subject.explains_more_than(best.subject))
      best = {fmt::format(fmt::runtime(subject.text), place[1], place[2]), subject,
              [own = &subject](const Directed& test) {
                return std::ranges::find(test.subjects, own) != test.subjects.end();
              }};
  for (const auto& parts : parts_of(tests, nodes)) {
    Subject subject;
    for (auto test = tests.begin(); test != tests.end() && subject.healthy == 0; ++test)
      if (parts.lead(test->nodes)) test->count_for(subject);
    if (subject.explains_more_than(best.subject))
      best = {parts.name(), subject,
              [parts](const Directed& test) { return parts.lead(test.nodes); }};
  }
  return best;
}

}  // namespace

std::vector<CommonCause> common_causes(std::span<const PairSlowdown> tests,
                                       std::span<const int> nodes, double slow_above) {
  const std::set<int> all_nodes(nodes.begin(), nodes.end());
  Subjects subjects;
  std::vector<Directed> left;
  for (const bool one_way : {true, false}) {
    if (std::ranges::any_of(left, &Directed::slow)) break;
    left.clear();
    for (const auto& [pair, slowdown] : slowdowns_of(tests, one_way)) {
      const RankPair ends{nodes[static_cast<std::size_t>(pair.first)],
                          nodes[static_cast<std::size_t>(pair.second)]};
      left.push_back({ends, slowdown, slowdown > slow_above,
                      subjects_of(pair, ends, all_nodes.size() > 1, subjects)});
    }
  }
  std::vector<CommonCause> causes;
  while (causes.size() < kMaxCauses) {
    const auto best = best_of(left, subjects, all_nodes);
    if (!best.concerns) break;
    std::vector<double> slowdowns;
    for (const auto& test : left)
      if (best.concerns(test)) slowdowns.push_back(test.slowdown);
    causes.push_back({.subject = best.name,
                      .reached = 1 / stats::summarize(slowdowns).median,
                      .pairs = slowdowns.size()});
    std::erase_if(left, best.concerns);
  }
  return causes;
}

std::string node_direction(int node, bool sends, bool receives) {
  const auto text = sends && receives ? kNodeDoesBoth : sends ? kNodeSends : kNodeReceives;
  return fmt::format(fmt::runtime(text), node);
}

}  // namespace linerate
