// Who is behind, by the sequence numbers in the lines of PyTorch's watchdog.
#include "diagnose/log/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

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

// Of one call, as these ranks count them: its operations, in the order of their first ranks.
struct Call {
  using Operation = std::pair<std::string_view, std::vector<int>>;
  long sequence = -1;
  std::vector<Operation> operations{};
};

// Of a pair of ranks one sends and one receives in the same call.
bool is_collective(std::string_view operation) {
  return !operation.empty() && operation != "SEND" && operation != "RECV" &&
         operation != "COALESCED";
}

// The first call that is not the same collective on all ranks, as they took different ways through
// the program; without operations: there is none.
Call differing_call(const Ranks& ranks) {
  std::map<long, Call> calls;
  for (const auto& [rank, one] : ranks) {
    if (!is_collective(one.operation)) continue;
    auto& operations = calls[one.sequence].operations;
    const auto known = std::ranges::find(operations, one.operation, &Call::Operation::first);
    if (known == operations.end())
      operations.push_back({one.operation, {rank}});
    else
      known->second.push_back(rank);
  }
  for (auto& [sequence, call] : calls)
    if (call.operations.size() > 1) return {sequence, std::move(call.operations)};
  return {};
}

// "Ranks 0, 2-3 are in call 812 (ALLREDUCE), rank 1 is in call 812 (ALLGATHER)"
std::string call_text(const Call& call) {
  constexpr std::size_t kMost = 4;
  std::vector<std::string> parts;
  for (const auto& [operation, ranks] : call.operations) {
    if (parts.size() == kMost) break;
    parts.push_back(fmt::format("{} {} in call {} ({})",
                                ranks_text(ranks, parts.empty() ? "Rank" : "rank"),
                                ranks.size() == 1 ? "is" : "are", call.sequence, operation));
  }
  if (call.operations.size() > kMost) parts.emplace_back("…");
  return fmt::format(" {}", fmt::join(parts, ", "));
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
  const bool alike = std::ranges::all_of(ranks, [&](const auto& one) {
    return one.second.sequence != least || one.second.operation == first->second.operation;
  });
  return fmt::format(" {} waited in call {}{}.", ranks_text(first_ones, "Rank"), least,
                     first->second.operation.empty() || !alike
                         ? ""
                         : fmt::format(" ({})", first->second.operation));
}

// The group with most ranks, of those with a name or of those without; null: none.
const Ranks* largest(const LogFaults& faults, bool named) {
  const Ranks* most = nullptr;
  for (const auto& [group, ranks] : faults.waiting)
    if (group.empty() != named && (most == nullptr || ranks.size() > most->size())) most = &ranks;
  return most;
}

// Ranks of one process group whose calls differ: of one that lines name, or of all lines where no
// other is named. Null: there are none.
const Ranks* apart(const LogFaults& faults) {
  std::size_t named = 0;
  for (const auto& [group, ranks] : faults.waiting) {
    if (group.empty()) continue;
    ++named;
    if (!differing_call(ranks).operations.empty()) return &ranks;
  }
  const auto* unnamed = largest(faults, false);
  const bool differ = unnamed != nullptr && !differing_call(*unnamed).operations.empty();
  return named == 1 && differ ? unnamed : nullptr;
}

// The call in which ranks waited.
std::string calls_text(const LogFaults& faults, const Ranks& calls) {
  if (const auto* ranks = apart(faults)) return call_text(differing_call(*ranks)) + ".";
  const auto call = differing_call(calls);
  if (call.operations.empty()) return group_text(calls);
  return call_text(call) + ": they differ, if of one process group.";
}

}  // namespace

bool calls_differ(const LogFaults& faults) { return apart(faults) != nullptr; }

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
  return first + calls_text(faults, *calls) + behind;
}

}  // namespace linerate::logs
