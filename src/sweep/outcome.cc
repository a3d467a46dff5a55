// Records come first: under mpirun and srun the exit code may be the launcher's own.
#include "sweep/outcome.h"

#include "base/error.h"
#include "base/text.h"
#include "record/verdict.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

namespace linerate::sweep {
namespace {

constexpr int kKilled = 128;  // and the signal: the code of a process that was killed
constexpr std::string_view kNames[] = {"ok", "slow", "wrong", "crashed", "hung", "no_start"};

std::optional<std::string> wrong_data(const RunFile& records) {
  for (const auto& record : records.records)
    if (record.wrong.value_or(0) > 0)
      return fmt::format("{} wrong elements in {} of {} B, {}", *record.wrong,
                         record.what.collective, record.what.bytes, name_of(record.what.placement));
  for (const auto& end : records.ends)
    if (end.failed_checks > 0) return fmt::format("{} failed checks", end.failed_checks);
  return std::nullopt;
}

const EndInfo* last_end(const RunFile& records) {
  return records.ends.empty() ? nullptr : &records.ends.back();
}

// Only once its ranks have met does a run say how many they are.
bool began(const RunFile& records) {
  return std::ranges::any_of(records.runs, [](const RunInfo& run) { return run.nranks > 0; });
}

bool all_ended_well(const RunFile& records) {
  return std::ranges::all_of(records.ends, [](const EndInfo& end) {
    return !end.error && (end.exit_code == static_cast<int>(ExitCode::ok) ||
                          end.exit_code == static_cast<int>(ExitCode::finding));
  });
}

// Of the results that are low, also after all that disturbed the run, the lowest, in words.
std::optional<std::string> lowest(const RunFile& records, double slack) {
  std::optional<Record> found;
  for (const auto& record : records.records) {
    if (!record.expected) continue;
    const auto fair = widened(record, slack);
    if (verdict_of(fair) == Verdict::low && (!found || efficiency(fair) < efficiency(*found)))
      found = fair;
  }
  return found ? std::optional(reached_text(*found)) : std::nullopt;
}

std::optional<std::string> slowness(const RunFile& records) {
  const auto* end = last_end(records);
  if (end == nullptr) return std::nullopt;
  const bool low = end->verdict == name_of(Verdict::low);
  if (!low && end->exit_code != static_cast<int>(ExitCode::finding)) return std::nullopt;
  return lowest(records, end->slack).value_or("below a limit in its options");
}

// linerate says so where -T, or the limit of the start, has passed.
bool timed_out(std::string_view text) {
  const auto has_word = [text](std::string_view word) {
    const auto is_letter = [&](std::size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
    };
    for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
      if (!is_letter(at - 1) && !is_letter(at + word.size())) return true;
    return false;
  };
  return has_word("timed out") || has_word("hang") || has_word("hangs") || has_word("hung");
}

std::string reason_of(const Ending& ending, const EndInfo* end) {
  if (end != nullptr && end->error) return *end->error;
  if (!ending.said.empty()) return std::string(ending.said);
  if (ending.code != 0) return fmt::format("it ended with exit code {}", ending.code);
  return "it ended well, and wrote no results";
}

}  // namespace

std::string_view name_of(Outcome outcome) { return kNames[static_cast<std::size_t>(outcome)]; }

std::optional<Outcome> outcome_of(std::string_view name) {
  for (const auto outcome : kOutcomes)
    if (name_of(outcome) == name) return outcome;
  return std::nullopt;
}

std::string names_of(const std::set<Outcome>& outcomes) {
  std::vector<std::string_view> names;
  for (const auto outcome : outcomes) names.push_back(name_of(outcome));
  return fmt::format("{}", fmt::join(names, ","));
}

std::set<Outcome> outcomes_in(std::string_view names) {
  std::set<Outcome> found;
  for (const auto& name : split(names, ','))
    if (const auto outcome = outcome_of(name)) found.insert(*outcome);
  return found;
}

Judged judged(const Ending& ending, const RunFile& records) {
  const auto* end = last_end(records);
  if (const auto wrong = wrong_data(records)) return {Outcome::wrong, *wrong};
  if (ending.cut) return {Outcome::hung, fmt::format("it took longer than {:g} s", ending.limit_s)};
  const bool good = ending.code == static_cast<int>(ExitCode::ok) ||
                    ending.code == static_cast<int>(ExitCode::finding);
  const bool ended = end != nullptr ? all_ended_well(records) : good;
  if (ended && !records.records.empty()) {
    if (const auto slow = slowness(records)) return {Outcome::slow, *slow};
    return {};
  }
  auto reason = reason_of(ending, end);
  if (!began(records) && ending.code <= kKilled) return {Outcome::no_start, std::move(reason)};
  const bool lost =
      (end != nullptr ? end->exit_code : ending.code) == static_cast<int>(ExitCode::lost);
  return {lost && timed_out(reason) ? Outcome::hung : Outcome::crashed, std::move(reason)};
}

Judged judged(const RunFile& records) {
  const auto* end = last_end(records);
  return judged(Ending{.code = end != nullptr ? end->exit_code : 0}, records);
}

}  // namespace linerate::sweep
