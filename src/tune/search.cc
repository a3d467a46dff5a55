#include "tune/search.h"

#include "base/text.h"
#include "base/units.h"
#include "compare/comparison.h"
#include "stats/bootstrap.h"
#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

namespace linerate::tuning {
namespace {

constexpr int kMostRepeats = 8;  // of a round

// What one side measured, in the order of its runs.
using Series = std::map<Cell, std::vector<double>>;

struct Measured {
  std::vector<Series> sides{};          // the default first
  std::vector<std::string> failures{};  // of each; empty: none
};

// Sides in turns; a run is a launch of each collective. What has failed once is not run again.
class Bench {
 public:
  Bench(const Collectives& collectives, std::uint64_t seed, const Launch& launch)
      : collectives_(collectives), seed_(seed), launch_(launch) {}

  Measured measure(const std::vector<Variables>& sides, int repeats) {
    Measured all{.sides = std::vector<Series>(sides.size()),
                 .failures = std::vector<std::string>(sides.size())};
    for (const auto& turn : turns(sides.size(), repeats, seed_++)) {
      for (const auto* collective : collectives_)
        if (all.failures[turn.side].empty()) add(*collective, sides[turn.side], turn.side, all);
      if (!all.failures[0].empty()) break;
    }
    return all;
  }
  int launches() const { return launches_; }

 private:
  void add(const Collective& collective, const Variables& variables, std::size_t side,
           Measured& to) {
    ++launches_;
    auto run = launch_(collective, variables);
    to.failures[side] = std::move(run.failure);
    for (const auto& [bytes, us] : run.us) to.sides[side][{&collective, bytes}].push_back(us);
  }

  const Collectives& collectives_;
  std::uint64_t seed_;
  const Launch& launch_;
  int launches_ = 0;
};

std::vector<Variables> sides_of(std::span<const Arm> arms, const std::set<std::size_t>& which) {
  std::vector<Variables> sides{{}};
  for (const auto arm : which) sides.push_back(arms[arm].variables);
  return sides;
}

// By how much, as logarithms of the quotients of paired runs: their median, and where it may lie.
struct Score {
  std::size_t pairs = 0;
  double median = 0;
  stats::Interval interval{};

  // Two pairs that both point one way say nothing: they do so every other time.
  bool shows_above(double limit) const {
    constexpr std::size_t kFewestPairs = 4;
    return pairs >= kFewestPairs && interval.low > limit;
  }

  std::string text() const {
    return fmt::format("{:.3f} [{:.3f}, {:.3f}] of the default's time", std::exp(median),
                       std::exp(interval.low), std::exp(interval.high));
  }
};

// Cells in which one setting is to win, and the settings that are left.
struct Group {
  std::vector<Cell> cells{};
  std::vector<std::size_t> left{};
};

class Halving {
 public:
  Halving(std::span<const Arm> arms, Bench& bench, const Effort& effort)
      : arms_(arms), bench_(bench), effort_(effort) {}

  // The failure of the default, if it has one.
  std::string run() {
    int repeats = effort_.first_repeats;
    for (auto alive = all_arms(); !alive.empty(); alive = still_halved()) {
      ++rounds_;
      const auto failure = measure(alive, repeats);
      if (!failure.empty()) return failure;
      if (groups_.empty()) make_groups();
      for (auto& group : groups_)
        if (rounds_ == 1 || group.left.size() > 1) halve(group);
      repeats = std::min(2 * repeats, kMostRepeats);
    }
    return {};
  }

  const std::vector<Group>& groups() const { return groups_; }
  std::vector<Cell> cells() const { return {cells_.begin(), cells_.end()}; }
  int rounds() const { return rounds_; }

  // Why each setting that leads nowhere was dropped.
  std::vector<Dropped> dropped() const {
    std::vector<Dropped> all;
    for (const auto arm : all_arms())
      if (std::ranges::none_of(groups_, [&](const Group& group) {
            return std::ranges::find(group.left, arm) != group.left.end();
          }))
        all.push_back({arm, reasons_.contains(arm) ? reasons_.at(arm).second : "it was not run"});
    return all;
  }

 private:
  std::set<std::size_t> all_arms() const {
    std::set<std::size_t> all;
    for (std::size_t arm = 0; arm < arms_.size(); ++arm) all.insert(arm);
    return all;
  }

  std::set<std::size_t> still_halved() const {
    std::set<std::size_t> left;
    for (const auto& group : groups_)
      if (group.left.size() > 1) left.insert(group.left.begin(), group.left.end());
    return left;
  }

  std::string measure(const std::set<std::size_t>& alive, int repeats) {
    const auto measured = bench_.measure(sides_of(arms_, alive), repeats);
    if (!measured.failures[0].empty()) return measured.failures[0];
    std::size_t side = 0;
    for (const auto arm : alive) {
      if (!measured.failures[++side].empty()) drop(arm, -1e9, measured.failures[side], true);
      for (const auto& [cell, us] : measured.sides[side]) pair_up(cell, arm, us, measured.sides[0]);
    }
    for (const auto& [cell, us] : measured.sides[0]) cells_.insert(cell);
    return {};
  }

  void pair_up(const Cell& cell, std::size_t arm, const std::vector<double>& us,
               const Series& usual) {
    const auto other = usual.find(cell);
    if (other == usual.end()) return;
    for (std::size_t i = 0; i < std::min(us.size(), other->second.size()); ++i)
      logs_[{cell, arm}].push_back(std::log(us[i] / other->second[i]));
  }

  void make_groups() {
    std::vector<std::size_t> runnable;
    for (const auto arm : all_arms())
      if (!failed_.contains(arm)) runnable.push_back(arm);
    const bool by_size = arms_.front().collective != nullptr;
    if (!by_size) groups_.push_back({{cells_.begin(), cells_.end()}, runnable});
    if (by_size)
      for (const auto& cell : cells_) groups_.push_back({{cell}, runnable});
  }

  // Over cells the mean of each pair's logarithms.
  std::optional<Score> score_of(const Group& group, std::size_t arm) const {
    std::vector<double> sums;
    for (const auto& cell : group.cells) {
      const auto found = logs_.find({cell, arm});
      if (found == logs_.end()) return std::nullopt;
      if (sums.empty()) sums.resize(found->second.size());
      sums.resize(std::min(sums.size(), found->second.size()));
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += found->second[i];
    }
    if (sums.empty()) return std::nullopt;
    for (double& sum : sums) sum /= static_cast<double>(group.cells.size());
    return Score{.pairs = sums.size(),
                 .median = stats::median(sums),
                 .interval = stats::paired_bootstrap(sums)};
  }

  static std::string where(const Group& group) {
    return group.cells.size() == 1 ? fmt::format("at {}", bytes_text(group.cells[0].bytes))
                                   : "over all sizes";
  }

  // Why the setting is not worth more runs; empty: it may be. What holds for a process must not
  // cost one collective more than what matters, whatever others gain.
  std::string why_slower(const Group& group, std::size_t arm, const Score& score) const {
    if (score.shows_above(0)) return fmt::format("slower {}: {}", where(group), score.text());
    std::map<const Collective*, Group> parts;
    for (const auto& cell : group.cells) parts[cell.collective].cells.push_back(cell);
    for (const auto& [collective, part] : parts)
      if (const auto own = score_of(part, arm);
          own && own->shows_above(std::log1p(effort_.rule.smallest)))
        return fmt::format("slower for {}: {}", collective->name, own->text());
    return {};
  }

  void halve(Group& group) {
    const auto half = (group.left.size() + 1) / 2;
    std::vector<std::pair<double, std::size_t>> kept;
    for (const auto arm : group.left) {
      const auto score = failed_.contains(arm) ? std::nullopt : score_of(group, arm);
      if (!score) continue;
      if (auto why = why_slower(group, arm, *score); !why.empty())
        drop(arm, score->median, std::move(why));
      else
        kept.emplace_back(score->median, arm);
    }
    std::ranges::sort(kept);
    group.left.clear();
    for (const auto& [median, arm] : kept)
      if (group.left.size() < half)
        group.left.push_back(arm);
      else
        drop(arm, median,
             fmt::format("others were faster {} in round {}: {}", where(group), rounds_,
                         score_of(group, arm)->text()));
  }

  // Of several reasons, that of the size where it came nearest.
  void drop(std::size_t arm, double score, std::string why, bool for_good = false) {
    if (for_good) failed_.insert(arm);
    const auto known = reasons_.find(arm);
    if (known == reasons_.end() || score < known->second.first)
      reasons_[arm] = {score, std::move(why)};
  }

  std::span<const Arm> arms_;
  Bench& bench_;
  const Effort& effort_;
  int rounds_ = 0;
  std::set<Cell> cells_;
  std::map<std::pair<Cell, std::size_t>, std::vector<double>> logs_;
  std::vector<Group> groups_;
  std::set<std::size_t> failed_;
  std::map<std::size_t, std::pair<double, std::string>> reasons_;
};

// Both sides' runs by the blocks in which they were made.
std::vector<stats::Block> blocks_of(const std::vector<double>& a, const std::vector<double>& b) {
  constexpr auto kPerBlock = static_cast<std::size_t>(repeats_of_block(TurnsAt::runs));
  std::vector<stats::Block> blocks;
  const auto n = std::min(a.size(), b.size());
  for (std::size_t i = 0; i < n; ++i) {
    if (i % kPerBlock == 0) blocks.emplace_back();
    blocks.back().a.push_back(a[i]);
    blocks.back().b.push_back(b[i]);
  }
  return blocks;
}

void judge(std::vector<Judged>& all, const stats::Rule& rule) {
  std::vector<double> p;
  for (const auto& one : all) p.push_back(one.effect.p);
  const auto adjusted = stats::adjusted(p);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].adjusted_p = adjusted[i];
    all[i].verdict = stats::difference_of(all[i].effect, adjusted[i], rule);
  }
}

// New runs of the arms that are left somewhere.
void confirm_groups(std::span<const Arm> arms, const std::vector<Group>& groups, Bench& bench,
                    const Effort& effort, Searched& to) {
  std::set<std::size_t> winners;
  for (const auto& group : groups) winners.insert(group.left.begin(), group.left.end());
  if (winners.empty()) return;
  const auto measured = bench.measure(sides_of(arms, winners), effort.confirmations);
  to.failure = measured.failures[0];
  if (!to.failure.empty()) return;
  for (const auto& group : groups)
    for (const auto arm : group.left) {
      const auto side =
          static_cast<std::size_t>(std::distance(winners.begin(), winners.find(arm))) + 1;
      if (!measured.failures[side].empty()) continue;
      for (const auto& cell : group.cells) {
        const auto usual = measured.sides[0].find(cell), own = measured.sides[side].find(cell);
        if (usual == measured.sides[0].end() || own == measured.sides[side].end()) continue;
        to.judged.push_back({.cell = cell,
                             .arm = arm,
                             .default_us = stats::median(usual->second),
                             .us = stats::median(own->second),
                             .effect = stats::effect_of(blocks_of(usual->second, own->second))});
      }
    }
  std::size_t side = 0;
  for (const auto arm : winners)
    if (const auto& why = measured.failures[++side]; !why.empty()) to.dropped.push_back({arm, why});
  judge(to.judged, effort.rule);
}

}  // namespace

Searched search(std::span<const Arm> arms, const Collectives& collectives, const Effort& effort,
                const Launch& launch) {
  Searched found;
  Bench bench(collectives, effort.seed, launch);
  Halving halving(arms, bench, effort);
  found.failure = halving.run();
  found.rounds = halving.rounds();
  found.cells = halving.cells();
  if (found.failure.empty()) {
    found.dropped = halving.dropped();
    confirm_groups(arms, halving.groups(), bench, effort, found);
  }
  found.launches = bench.launches();
  return found;
}

Searched confirm(const Variables& variables, const Collectives& collectives, const Effort& effort,
                 const Launch& launch) {
  Searched found;
  const std::vector<Arm> arms{{.words = {}, .variables = variables}};
  Bench bench(collectives, effort.seed, launch);
  const auto measured = bench.measure({{}, variables}, effort.confirmations);
  found.launches = bench.launches();
  found.failure = measured.failures[0];
  if (!measured.failures[1].empty()) found.dropped.push_back({0, measured.failures[1]});
  if (!found.failure.empty() || !found.dropped.empty()) return found;
  for (const auto& [cell, us] : measured.sides[0])
    if (const auto own = measured.sides[1].find(cell); own != measured.sides[1].end())
      found.judged.push_back({.cell = cell,
                              .arm = 0,
                              .default_us = stats::median(us),
                              .us = stats::median(own->second),
                              .effect = stats::effect_of(blocks_of(us, own->second))});
  judge(found.judged, effort.rule);
  return found;
}

std::size_t most_launches(std::size_t arms, const Collectives& collectives, const Effort& effort) {
  if (arms == 0) return 0;
  std::size_t launches = (arms + 1) * static_cast<std::size_t>(effort.confirmations);
  int repeats = effort.first_repeats;
  for (auto left = arms;; left = (left + 1) / 2) {  // at other sizes others may be left
    launches += (arms + 1) * static_cast<std::size_t>(repeats);
    repeats = std::min(2 * repeats, kMostRepeats);
    if (left <= 2) break;
  }
  return launches * collectives.size();
}

}  // namespace linerate::tuning
