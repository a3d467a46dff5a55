#include "compare/words.h"

#include "base/text.h"
#include "base/units.h"
#include "output/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace linerate {
namespace {

using stats::Difference;

std::string of_side(std::string_view name, const std::string& note) {
  return fmt::format("{}: {}", name, note);
}

// The case whose ratio is farthest from 1 among those of a verdict.
const ComparedCase& most(const RunComparison& comparison, Difference verdict) {
  const auto distance = [&](const ComparedCase& one) {
    return one.verdict == verdict ? std::abs(std::log(one.effect.ratio)) : -1;
  };
  return *std::ranges::max_element(comparison.cases, {}, distance);
}

std::string change_sentence(const RunComparison& comparison, Difference verdict) {
  const auto& one = most(comparison, verdict);
  return fmt::format("B is {} in {} of {} cases, most in {}, {}, {}: {} times A's time, {}",
                     name_of(verdict), comparison.count(verdict), comparison.cases.size(),
                     case_words(one.key), bytes_text(one.key.bytes), placement_words(one.key),
                     ratio_words(one.effect.ratio), interval_words(one.effect));
}

std::size_t fewest_runs(const RunComparison& comparison, std::size_t ncases) {
  const bool in_blocks =
      comparison.turns == TurnsAt::windows || (ncases > 1 && comparison.blocks > 1);
  return stats::fewest_runs(ncases, comparison.rules.rule,
                            in_blocks ? repeats_of_block(comparison.turns) : 0);
}

// Empty: every change of a single case can be told.
std::string few_runs_sentence(const RunComparison& comparison) {
  const auto& rule = comparison.rules.rule;
  const auto ncases = comparison.cases.size();
  const auto fewest = fewest_runs(comparison, 1);
  if (comparison.too_few == ncases)
    return fmt::format(
        "Too few runs: with fewer than {} of each side nothing can be SLOWER or FASTER", fewest);
  if (comparison.too_few > 0)
    return fmt::format(
        "Too few runs of {} of {} cases: with fewer than {} of each side a case can be neither "
        "SLOWER nor FASTER",
        comparison.too_few, ncases, fewest);
  if (comparison.smallest_p <= rule.false_discoveries / static_cast<double>(ncases)) return {};
  return fmt::format("Few runs: to find one case that changes alone among {} takes {} of each side",
                     ncases, fewest_runs(comparison, ncases));
}

std::string only_sentence(std::size_t ncases, std::string_view one, std::string_view other) {
  return fmt::format("{} of {} {} not in {}", counted(ncases, "case"), one,
                     ncases == 1 ? "is" : "are", other);
}

// How many more runs would decide half of the cases that are UNSURE.
std::string advice_for_unsure(const RunComparison& comparison) {
  std::vector<std::size_t> needed;
  for (const auto& one : comparison.cases) {
    if (one.verdict != Difference::unsure) continue;
    const auto nruns = std::min(one.a.nruns, one.b.nruns);
    if (const auto runs = stats::runs_to_decide(one.effect, nruns, comparison.rules.rule))
      needed.push_back(std::max(*runs, nruns + 1));
  }
  if (needed.empty()) return {};
  std::ranges::sort(needed);
  return fmt::format("; about {} runs of each side would decide half of them",
                     needed[needed.size() / 2]);
}

}  // namespace

std::string telling_words(const CaseKey& key) {
  std::vector<std::string> words{key.collective, key.type};
  if (key.redop != "none") words.push_back(key.redop);
  if (key.root >= 0) words.push_back(fmt::format("root {}", key.root));
  if (key.group != 0) words.push_back(fmt::format("group {}", key.group));
  words.push_back(key.cell);
  std::erase(words, "");
  return plain_text(fmt::format("{}", fmt::join(words, " ")));
}

std::string case_words(const CaseKey& key) {
  const std::string_view unnamed = key.collective.empty() ? "(unnamed) " : "";
  return fmt::format("{}{}", unnamed, telling_words(key));
}

std::string placement_words(const CaseKey& key) {
  if (key.pair.first >= 0) return fmt::format("{} and {}", key.pair.first, key.pair.second);
  return key.placement == Placement::in_place ? "in-place" : "out-of-place";
}

std::string ratio_words(double ratio) { return fmt::format("{:.3f}", ratio); }

std::string interval_words(const stats::Effect& effect) {
  if (!std::isfinite(effect.low) || !std::isfinite(effect.high)) return "[too few runs]";
  return fmt::format("[{}, {}]", ratio_words(effect.low), ratio_words(effect.high));
}

std::string time_words(const SideTime& time) {
  if (time.nruns < 2) return microseconds_text(time.median_us);
  const double percent = time.spread * 100;
  return fmt::format("{} ±{:.{}f} %", microseconds_text(time.median_us), percent,
                     percent < 1 ? 1 : 0);
}

std::string runs_words(const Side& side) { return counted(side.runs.size(), "run"); }

std::string method_sentence(const RunComparison& comparison) {
  const std::string_view number = comparison.statistic == RunStatistic::window ? "its window's time"
                                  : comparison.statistic == RunStatistic::median
                                      ? "the median of its samples"
                                      : "the shortest of its samples";
  auto how = std::string(comparison.blocks > 0 ? "in turns" : "not in turns");
  if (comparison.turns == TurnsAt::windows) how += " at windows";
  if (comparison.blocks > 1) how += fmt::format(", {} blocks", comparison.blocks);
  return fmt::format("{} | {}, {}; of each run {}", runs_words(comparison.a),
                     runs_words(comparison.b), how, number);
}

std::vector<std::string> cautions(const RunComparison& comparison) {
  std::vector<std::string> lines;
  if (auto few = few_runs_sentence(comparison); !few.empty()) lines.push_back(std::move(few));
  if (comparison.in_common > 0)
    lines.push_back(fmt::format("{} of A {} also in B: a run does not differ from itself",
                                counted(comparison.in_common, "run"),
                                comparison.in_common == 1 ? "is" : "are"));
  if (comparison.one_after_other)
    lines.emplace_back(
        "All runs of one side came before those of the other: a machine that has changed between "
        "them looks like a difference. linerate compare --run 'A' --run 'B' makes them in turns");
  for (const auto& note : comparison.a.notes()) lines.push_back(of_side("A", note));
  for (const auto& note : comparison.b.notes()) lines.push_back(of_side("B", note));
  if (comparison.only_a > 0) lines.push_back(only_sentence(comparison.only_a, "A", "B"));
  if (comparison.only_b > 0) lines.push_back(only_sentence(comparison.only_b, "B", "A"));
  return lines;
}

std::vector<std::string> summary(const RunComparison& comparison) {
  std::vector<std::string> lines;
  for (const auto verdict : {Difference::slower, Difference::faster})
    if (comparison.count(verdict) > 0) lines.push_back(change_sentence(comparison, verdict));
  const auto same = comparison.count(Difference::same);
  const auto unsure = comparison.count(Difference::unsure);
  const double percent = comparison.rules.rule.smallest * 100;
  auto rest = fmt::format("SAME within {:g} %: {}", percent, same);
  if (unsure > 0) rest += fmt::format("; UNSURE: {}{}", unsure, advice_for_unsure(comparison));
  lines.push_back(std::move(rest));
  return lines;
}

}  // namespace linerate
