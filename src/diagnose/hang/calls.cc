// Compares the calls of the ranks of each process group: the first that differs, and the first that
// does not end.
#include "diagnose/hang/hang.h"
#include "diagnose/log/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <iterator>

namespace linerate::hang {
namespace {

using Ranks = std::vector<int>;

std::string ranks_named(const Ranks& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", logs::ranges_text(ranks));
}
std::string_view verb(const Ranks& ranks, std::string_view one, std::string_view many) {
  return ranks.size() == 1 ? one : many;
}

std::string call_text(const Call& call, bool with_tensors = true) {
  const auto& text = *call.text;
  return fmt::format("{}{}{}", text.operation, text.tensors.empty() || !with_tensors ? "" : " of ",
                     with_tensors ? text.tensors : "");
}

std::string at_place(const Call& call) {
  return call.text->place.empty() ? "" : ", called at " + call.text->place;
}

const Call* call_at(const RankCalls& calls, std::int64_t sequence) {
  const auto at = std::ranges::lower_bound(calls.collectives, sequence, {}, &Call::sequence);
  return at != calls.collectives.end() && at->sequence == sequence ? &*at : nullptr;
}

const Call* first_open(const std::vector<Call>& calls) {
  const auto open = std::ranges::find_if(
      calls, [](const Call& call) { return call.state != CallState::completed; });
  return open == calls.end() ? nullptr : &*open;
}

// "3 waits in collective 7 of process group 2": in which group but `except`.
std::string waits_elsewhere(const Dumps& dumps, const ProcessGroup& except, const Ranks& ranks) {
  for (const auto& group : dumps.groups())
    for (const int rank : ranks) {
      const auto calls = group.ranks.find(rank);
      if (&group == &except || calls == group.ranks.end()) continue;
      if (const auto* open = first_open(calls->second.collectives))
        return fmt::format(" Meanwhile rank {} waits in collective {} ({}) of {}.", rank,
                           open->sequence, call_text(*open, false), group.title());
    }
  return {};
}

// What differs among the calls of a number: ranks by call, the most first.
std::vector<std::pair<std::string, Ranks>> versions(const ProcessGroup& group,
                                                    std::int64_t sequence, bool of_operations) {
  std::map<std::string, std::pair<std::string, Ranks>> by_call;
  for (const auto& [rank, calls] : group.ranks)
    if (const auto* call = call_at(calls, sequence)) {
      const auto& text = *call->text;
      auto& [shown, ranks] = by_call[of_operations ? text.operation : text.compared];
      if (ranks.empty()) shown = call_text(*call) + at_place(*call);
      ranks.push_back(rank);
    }
  std::vector<std::pair<std::string, Ranks>> list;
  for (auto& [key, version] : by_call) list.push_back(std::move(version));
  std::ranges::stable_sort(list, std::greater<>(),
                           [](const auto& one) { return one.second.size(); });
  return list;
}

// The first sequence number at which operations differ, or types and sizes.
void add_difference(const ProcessGroup& group, std::vector<Finding>& findings) {
  std::map<std::int64_t, const CallText*> seen;
  std::int64_t first = -1;
  for (const auto& [rank, calls] : group.ranks)
    for (const auto& call : calls.collectives) {
      if (first >= 0 && call.sequence >= first) break;
      const auto* known = seen.emplace(call.sequence, call.text).first->second;
      if (known->operation != call.text->operation || known->compared != call.text->compared)
        first = call.sequence;
    }
  if (first < 0) return;
  auto list = versions(group, first, true);
  const bool of_operations = list.size() > 1;
  if (!of_operations) list = versions(group, first, false);
  const bool ended = std::ranges::all_of(group.ranks, [&](const auto& one) {
    const auto* call = call_at(one.second, first);
    return call == nullptr || call->state == CallState::completed;
  });
  std::string evidence = fmt::format("Collective {} is not the same on all ranks:", first);
  constexpr std::size_t kShown = 4;
  for (std::size_t i = 0; i < std::min(list.size(), kShown); ++i)
    evidence +=
        fmt::format("{} {}: {}", i == 0 ? "" : ";", ranks_named(list[i].second), list[i].first);
  evidence += fmt::format("{}. {}", list.size() > kShown ? "; …" : "",
                          ended           ? "It has ended on all."
                          : of_operations ? "Later numbers do not belong together any more."
                                          : "NCCL hangs then, or the result is wrong.");
  auto& finding = findings.emplace_back(
      found(of_operations ? "calls-differ" : "tensors-differ",
            fmt::format("{}, {}", ranks_named(list.back().second), group.title()), evidence,
            ended ? .5 : .95));
  if (ended) finding.severity = Severity::warning;
}

// Who is where at the first collective that does not end.
struct Waiting {
  std::int64_t sequence = 0;
  const Call* call = nullptr;  // of one that waits
  Ranks waiting{}, queued{}, done{}, behind{}, without_dump{};
};

std::optional<Waiting> waiting_in(const ProcessGroup& group, const Dumps& dumps) {
  Waiting who;
  for (const auto& [rank, calls] : group.ranks)
    if (const auto* open = first_open(calls.collectives))
      if (who.call == nullptr || open->sequence < who.sequence) {
        who.sequence = open->sequence;
        who.call = open;
      }
  if (who.call == nullptr) return {};
  bool any_started = false;
  for (const auto& [rank, calls] : group.ranks) {
    const auto* call = call_at(calls, who.sequence);
    const bool later =
        !calls.collectives.empty() && calls.collectives.back().sequence > who.sequence;
    if (call != nullptr && call->state != CallState::completed) {
      who.waiting.push_back(rank);
      if (call->state == CallState::started)
        any_started = true;
      else
        who.queued.push_back(rank);
    } else {
      (call != nullptr || later ? who.done : who.behind).push_back(rank);
    }
  }
  if (!any_started) who.queued.clear();  // starts are only recorded with TORCH_NCCL_ENABLE_TIMING
  // A group is in a rank's dump from its first call of it on.
  for (const int rank : group.members)
    if (!group.ranks.contains(rank))
      (dumps.files().contains(rank) ? who.behind : who.without_dump).push_back(rank);
  std::ranges::sort(who.behind);
  return who;
}

std::string last_call(const ProcessGroup& group, int rank) {
  const auto seen = group.ranks.find(rank);
  if (seen == group.ranks.end() || seen->second.collectives.empty())
    return fmt::format("Rank {}'s dump has no call of this group.", rank);
  const auto& last = seen->second.collectives.back();
  return fmt::format("The last one of rank {} is {} ({}, {}{}).", rank, last.sequence,
                     call_text(last, false), kCallStates[static_cast<std::size_t>(last.state)],
                     at_place(last));
}

Finding missing_ranks(const ProcessGroup& group, const Dumps& dumps, const Waiting& who) {
  const auto elsewhere = waits_elsewhere(dumps, group, who.behind);
  auto finding = found(
      "missing-in-collective", fmt::format("{}, {}", ranks_named(who.behind), group.title()),
      fmt::format("{} wait{} in collective {} ({}{}), which {} {} not entered. {}{}",
                  ranks_named(who.waiting), verb(who.waiting, "s", ""), who.sequence,
                  call_text(*who.call), at_place(*who.call), ranks_named(who.behind),
                  verb(who.behind, "has", "have"), last_call(group, who.behind.front()), elsewhere),
      elsewhere.empty() ? .9 : .6);
  if (!elsewhere.empty())
    finding.advice =
        "ranks wait for each other in several process groups: call the collectives of all groups "
        "in the same order on all ranks";
  return finding;
}

Finding ranks_without_dump(const ProcessGroup& group, const Waiting& who) {
  const bool few = 2 * who.without_dump.size() <= group.members.size();
  auto finding = found(
      "no-dump", fmt::format("{}, {}", ranks_named(who.without_dump), group.title()),
      fmt::format("{} wait{} in collective {} ({}{}), and of {} there is no dump: what {} last is "
                  "not known.",
                  ranks_named(who.waiting), verb(who.waiting, "s", ""), who.sequence,
                  call_text(*who.call), at_place(*who.call), ranks_named(who.without_dump),
                  verb(who.without_dump, "it did", "they did")),
      few ? .7 : .4);
  if (!few || !who.behind.empty()) finding.severity = Severity::warning;
  return finding;
}

Finding all_in_collective(const ProcessGroup& group, const Dumps& dumps, const Waiting& who) {
  auto finding = found(
      "collective-does-not-end", fmt::format("collective {}, {}", who.sequence, group.title()),
      fmt::format("All ranks have entered it ({}{}), and on {} it does not end.",
                  call_text(*who.call), at_place(*who.call), ranks_named(who.waiting)),
      .7);
  if (!who.done.empty())
    finding.evidence += fmt::format(" It has ended on {}.", ranks_named(who.done));
  if (!who.queued.empty()) {
    finding.evidence += fmt::format(
        " It has not started on {}: {} GPU does something else first.{}", ranks_named(who.queued),
        verb(who.queued, "its", "their"), waits_elsewhere(dumps, group, who.queued));
    finding.advice =
        "look at these ranks for what was launched before it and does not end: a "
        "kernel, a copy, a collective of another process group; else " +
        finding.advice;
  }
  return finding;
}

// "send 0->1" and "recv 1<-0" of ranks in the group: sender and receiver in the job.
std::optional<std::pair<int, int>> ends_of(const ProcessGroup& group, const std::string& text) {
  const bool sends = text.starts_with("send ");
  const auto arrow = text.find(sends ? "->" : "<-");
  if (text.size() < 5 || arrow == std::string::npos) return {};
  std::size_t mine = 0, other = 0;
  std::from_chars(text.data() + 5, text.data() + arrow, mine);
  std::from_chars(text.data() + arrow + 2, text.data() + text.size(), other);
  const auto& members = group.members;
  if (mine >= members.size() || other >= members.size()) return {};
  return sends ? std::pair(members[mine], members[other])
               : std::pair(members[other], members[mine]);
}

// Sends that nobody receives, and the other way round.
void add_sends(const ProcessGroup& group, const Dumps& dumps, std::vector<Finding>& findings) {
  struct Side {
    int all = 0, open = 0;
    const Call* first = nullptr;  // of the open ones
  };
  std::map<std::pair<int, int>, std::array<Side, 2>> pairs;  // the sender's, the receiver's
  for (const auto& [rank, calls] : group.ranks)
    for (const auto& call : calls.sends)
      if (const auto ends = ends_of(group, call.text->operation)) {
        auto& side = pairs[*ends][ends->first == rank ? 0 : 1];
        ++side.all;
        if (call.state == CallState::completed) continue;
        ++side.open;
        if (side.first == nullptr) side.first = &call;
      }
  for (const auto& [ends, sides] : pairs) {
    const bool sends = sides[0].all > sides[1].all;
    const auto &mine = sides[sends ? 0 : 1], &theirs = sides[sends ? 1 : 0];
    const int waiting = sends ? ends.first : ends.second, other = sends ? ends.second : ends.first;
    if (mine.open == 0 || theirs.open != 0 || mine.all <= theirs.all ||
        !dumps.files().contains(other))
      continue;
    findings.push_back(
        found("unmatched-send",
              fmt::format("ranks {} and {}, {}", ends.first, ends.second, group.title()),
              fmt::format("Rank {} {} rank {} ({} open{}), which does not {}.{}", waiting,
                          sends ? "sends to" : "waits for data of", other, mine.open,
                          at_place(*mine.first), sends ? "receive" : "send",
                          waits_elsewhere(dumps, group, {other})),
              .7));
  }
}

}  // namespace

std::vector<Finding> examine(const Dumps& dumps) {
  std::vector<Finding> findings;
  for (const auto& group : dumps.groups()) {
    const auto before = findings.size();
    add_difference(group, findings);
    add_sends(group, dumps, findings);
    const bool explained = findings.size() > before;
    const auto who = waiting_in(group, dumps);
    if (!who) continue;
    if (!who->behind.empty()) findings.push_back(missing_ranks(group, dumps, *who));
    if (!who->without_dump.empty()) findings.push_back(ranks_without_dump(group, *who));
    if (!explained && who->behind.empty() && who->without_dump.empty())
      findings.push_back(all_in_collective(group, dumps, *who));
  }
  return findings;
}

}  // namespace linerate::hang
