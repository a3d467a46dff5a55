// Who is behind, by the sequence numbers in the lines of PyTorch's watchdog.
#include "diagnose/log/report.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate::logs {
namespace {

using Ranks = std::map<int, Waiting>;

std::vector<int> ranks_where(const Ranks& ranks, const auto& test) {
  std::vector<int> list;
  for (const auto& [rank, one] : ranks)
    if (test(one)) list.push_back(rank);
  return list;
}

long lowest(const Ranks& ranks, long Waiting::*what) {
  long least = -1;
  for (const auto& [rank, one] : ranks)
    if (one.*what >= 0 && (least < 0 || one.*what < least)) least = one.*what;
  return least;
}

// Calls of one number that differ: ranks took different ways through the program.
bool calls_differ(const Ranks& ranks) {
  std::map<long, std::string_view> operations;
  return std::ranges::any_of(ranks, [&](const auto& one) {
    const auto& [sequence, operation] = std::pair(one.second.sequence, one.second.operation);
    return !operation.empty() &&
           operations.emplace(sequence, one.second.operation).first->second != operation;
  });
}

std::string behind_text(const Ranks& ranks, long Waiting::*what, std::string_view verb) {
  const auto least = lowest(ranks, what);
  const auto behind = ranks_where(ranks, [&](const Waiting& one) { return one.*what == least; });
  const auto ahead = ranks_where(ranks, [&](const Waiting& one) { return one.*what > least; });
  if (least < 0 || ahead.empty()) return {};
  return fmt::format(" {} {} {} call {}, others ({}) a later one.", ranks_text(behind, "Rank"),
                     behind.size() == 1 ? "is behind: it" : "are behind: they", verb, least,
                     ranks_text(ahead));
}

std::string group_text(const Ranks& ranks) {
  const auto least = lowest(ranks, &Waiting::sequence);
  if (least < 0) return {};
  const auto first_ones =
      ranks_where(ranks, [&](const Waiting& one) { return one.sequence == least; });
  const auto first =
      std::ranges::find_if(ranks, [&](const auto& one) { return one.second.sequence == least; });
  std::string text = fmt::format(" {} waited in call {}{}.", ranks_text(first_ones, "Rank"), least,
                                 first == ranks.end() || first->second.operation.empty()
                                     ? ""
                                     : fmt::format(" ({})", first->second.operation));
  if (calls_differ(ranks)) text += " The ranks are in different calls, if of one process group.";
  return text;
}

// The group with most ranks, of those with a name or of those without; null: none.
const Ranks* largest(const LogFaults& faults, bool named) {
  const Ranks* most = nullptr;
  for (const auto& [group, ranks] : faults.waiting)
    if (group.empty() != named && (most == nullptr || ranks.size() > most->size())) most = &ranks;
  return most;
}

}  // namespace

// Lines without a group's name count calls of any group: they compare where no line has one.
std::string waiting_text(const LogFaults& faults) {
  const auto *unnamed = largest(faults, false), *named = largest(faults, true);
  auto first = faults.first_timeout < 0
                   ? std::string()
                   : fmt::format(" Rank {} was the first to give up.", faults.first_timeout);
  const auto* calls = unnamed == nullptr ? named : unnamed;
  if (calls == nullptr) return first;
  const auto& compared = named == nullptr ? *calls : *named;
  auto behind = behind_text(compared, &Waiting::completed, "ended");
  if (named == nullptr || behind.empty())
    behind = behind_text(compared, &Waiting::sequence, "waited in");
  return first + group_text(*calls) + behind;
}

}  // namespace linerate::logs
