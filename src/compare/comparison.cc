// Runs of one study with equal numbers were made in turns: they are blocks of each other.
#include "compare/comparison.h"

#include "base/splitmix.h"
#include "base/text.h"
#include "stats/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <set>
#include <utility>

namespace linerate {
namespace {

using Repeats = std::set<std::pair<std::string, int>>;  // study and repeat

Repeats repeats_of(const Side& side) {
  Repeats repeats;
  for (const auto& run : side.runs)
    if (!run.info.study.empty() && run.info.repeat > 0)
      repeats.emplace(run.info.study, run.info.repeat);
  return repeats;
}

bool is_in_a_study(const SideRun& run) { return !run.info.study.empty() && run.info.repeat > 0; }

// Whether each run of one side has one of the other that was made beside it, but for the last,
// which an interruption may have cost.
bool interleaved(const Side& a, const Side& b) {
  const auto of_a = repeats_of(a), of_b = repeats_of(b);
  std::size_t shared = 0;
  for (const auto& repeat : of_a) shared += of_b.contains(repeat) ? 1 : 0;
  return std::ranges::all_of(a.runs, is_in_a_study) && std::ranges::all_of(b.runs, is_in_a_study) &&
         shared > 0 && of_a.size() <= shared + 1 && of_b.size() <= shared + 1;
}

TurnsAt turns_of(const Side& a, const Side& b) {
  if (!interleaved(a, b)) return TurnsAt::none;
  const auto by_windows = [](const SideRun& run) {
    return run.info.turns == name_of(TurnsAt::windows);
  };
  const bool all =
      std::ranges::all_of(a.runs, by_windows) && std::ranges::all_of(b.runs, by_windows);
  return all ? TurnsAt::windows : TurnsAt::runs;
}

using BlockName = std::pair<std::string, int>;

BlockName block_of(const SideRun& run, TurnsAt turns) {
  if (turns == TurnsAt::none) return {};
  return {run.info.study, (run.info.repeat - 1) / repeats_of_block(turns)};
}

std::vector<double> all_of(const std::vector<stats::Block>& blocks,
                           std::vector<double> stats::Block::*side) {
  std::vector<double> all;
  for (const auto& block : blocks)
    all.insert(all.end(), (block.*side).begin(), (block.*side).end());
  return all;
}

// One block, where so few runs could say nothing in several.
void merge_if_few(std::vector<stats::Block>& blocks, const stats::Rule& rule) {
  if (stats::smallest_p(blocks) <= rule.false_discoveries) return;
  blocks = {{.a = all_of(blocks, &stats::Block::a), .b = all_of(blocks, &stats::Block::b)}};
}

class Matching {
 public:
  Matching(RunStatistic statistic, TurnsAt turns) : statistic_(statistic), turns_(turns) {}

  void add(const Side& side, std::vector<double> stats::Block::*times) {
    for (const auto& run : side.runs)
      for (const auto& [key, of_case] : run.cases)
        if (const auto us = of_case.by(statistic_))
          (cases_[key][block_of(run, turns_)].*times).push_back(*us);
  }

  // Those that both sides have; counts those of one alone.
  void compare(RunComparison& into) const {
    for (const auto& [key, named] : cases_) {
      std::vector<stats::Block> blocks;
      for (const auto& [name, block] : named) blocks.push_back(block);
      if (turns_ == TurnsAt::runs) merge_if_few(blocks, into.rules.rule);
      auto a = all_of(blocks, &stats::Block::a), b = all_of(blocks, &stats::Block::b);
      into.only_a += b.empty() ? 1 : 0;
      into.only_b += a.empty() ? 1 : 0;
      if (a.empty() || b.empty()) continue;
      into.blocks = std::max(into.blocks, turns_ == TurnsAt::none ? 0 : blocks.size());
      const double smallest_p = stats::smallest_p(blocks);
      into.smallest_p = std::max(into.smallest_p, smallest_p);
      into.too_few += smallest_p > into.rules.rule.false_discoveries ? 1 : 0;
      into.cases.push_back({.key = key,
                            .a = side_time(std::move(a)),
                            .b = side_time(std::move(b)),
                            .effect = stats::effect_of(blocks, level())});
    }
  }

 private:
  stats::Level level() const {
    return turns_ == TurnsAt::windows ? stats::Level::of_block : stats::Level::with_neighbours;
  }

  RunStatistic statistic_;
  TurnsAt turns_;
  std::map<CaseKey, std::map<BlockName, stats::Block>> cases_;
};

void judge(RunComparison& comparison) {
  std::vector<double> p;
  for (const auto& one : comparison.cases) p.push_back(one.effect.p);
  const auto adjusted = stats::adjusted(p);
  for (std::size_t i = 0; i < adjusted.size(); ++i) {
    auto& one = comparison.cases[i];
    one.adjusted_p = adjusted[i];
    one.verdict = stats::difference_of(one.effect, adjusted[i], comparison.rules.rule);
  }
}

// Times of day compare as text.
bool one_after_other(const Side& a, const Side& b) {
  const auto span = [](const Side& side) {
    std::set<std::string> times;
    for (const auto& run : side.runs) times.insert(run.info.start_time);
    return std::pair(*times.begin(), *times.rbegin());
  };
  const auto [first_a, last_a] = span(a);
  const auto [first_b, last_b] = span(b);
  if (first_a.empty() || first_b.empty()) return false;
  return a.runs.size() > 1 && b.runs.size() > 1 && (last_a < first_b || last_b < first_a);
}

std::string refusal_of(const std::vector<SideDifference>& differences) {
  std::vector<std::string> reasons;
  for (const auto& one : differences)
    if (one.forbids) reasons.push_back(fmt::format("{}: {} | {}", one.what, one.a, one.b));
  return fmt::format(
      "A and B are not of the same thing: {}. --force compares cases of equal size and placement "
      "all the same.",
      fmt::join(reasons, "; "));
}

Result<RunStatistic> statistic_for(const RunComparison& comparison) {
  const bool samples = comparison.a.has_samples() && comparison.b.has_samples();
  const auto wanted = comparison.rules.statistic.value_or(kUsualStatistic);
  if (samples || wanted == RunStatistic::window) return wanted;
  if (!comparison.rules.statistic) return RunStatistic::window;
  return Failure{fmt::format(
      "--statistic {} needs samples, which only linerate's JSON Lines have: leave it out.",
      name_of(wanted))};
}

}  // namespace

std::string_view name_of(TurnsAt turns) {
  switch (turns) {
    case TurnsAt::none:
      return "none";
    case TurnsAt::runs:
      return "runs";
    case TurnsAt::windows:
      return "windows";
  }
  __builtin_unreachable();
}

std::vector<Turn> turns(std::size_t sides, int repeats, std::uint64_t seed) {
  constexpr int kRepeatsOfBlock = repeats_of_block(TurnsAt::runs);
  std::vector<Turn> order;
  std::vector<int> done(sides);
  SplitMix random(seed + kSplitMixStep);
  for (int first = 0; first < repeats; first += kRepeatsOfBlock) {
    std::vector<std::size_t> block;
    for (int i = first; i < std::min(first + kRepeatsOfBlock, repeats); ++i)
      for (std::size_t side = 0; side < sides; ++side) block.push_back(side);
    random.shuffle(block);
    for (const auto side : block) order.push_back({side, ++done[side]});
  }
  return order;
}

std::vector<std::size_t> first_turns(int repeats, std::uint64_t seed) {
  std::vector<std::size_t> firsts;
  for (const auto& turn : turns(2, repeats, seed))
    if (firsts.size() < static_cast<std::size_t>(repeats)) firsts.push_back(turn.side);
  return firsts;
}

SideTime side_time(std::vector<double> us) {
  std::ranges::sort(us);
  SideTime time{.nruns = us.size(), .median_us = stats::quantile(us, 0.5)};
  time.spread = (stats::quantile(us, 0.75) - stats::quantile(us, 0.25)) / 2 / time.median_us;
  return time;
}

std::size_t RunComparison::count(stats::Difference verdict) const {
  return static_cast<std::size_t>(std::ranges::count(cases, verdict, &ComparedCase::verdict));
}

Result<RunComparison> compare_sides(Side a, Side b, const CompareRules& rules) {
  assert(!a.runs.empty() && !b.runs.empty());
  RunComparison comparison{.a = std::move(a), .b = std::move(b), .rules = rules};
  comparison.differences = differences(comparison.a, comparison.b);
  if (!rules.force && std::ranges::any_of(comparison.differences, &SideDifference::forbids))
    return Failure{refusal_of(comparison.differences)};
  if (rules.force)
    if (auto refusal = forget_unshared(comparison.a, comparison.b); !refusal.empty())
      return Failure{std::move(refusal)};
  const auto statistic = statistic_for(comparison);
  if (!statistic) return statistic.failure();
  comparison.statistic = *statistic;
  comparison.in_common = runs_in_common(comparison.a, comparison.b);
  comparison.one_after_other = one_after_other(comparison.a, comparison.b);
  comparison.turns = turns_of(comparison.a, comparison.b);
  Matching matching(comparison.statistic, comparison.turns);
  matching.add(comparison.a, &stats::Block::a);
  matching.add(comparison.b, &stats::Block::b);
  matching.compare(comparison);
  if (comparison.cases.empty())
    return Failure{"A and B have no case in common: they differ in sizes or placements."};
  judge(comparison);
  return comparison;
}

}  // namespace linerate
