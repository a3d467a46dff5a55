#include "replay/meetings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <deque>
#include <tuple>
#include <utility>

namespace linerate::replay {
namespace {

struct Place {
  std::size_t rank = 0, unit = 0;
};

// A collective, or a message: all of its units are under way before any of them ends.
struct Meeting {
  std::size_t needed = 0, arrived = 0;
  std::uint64_t bytes = 0;  // of a message, as the first rank says
  std::vector<Place> units{};
};

std::string words_of(const Call& call) {
  if (call.kind == OpKind::all_to_all_v)
    return fmt::format("all_to_all_v of {}", name_of(call.type));
  auto words = fmt::format("{} of {} {}", name_of(call.kind), call.count, name_of(call.type));
  if (is_reduction(call.kind)) words += fmt::format(", {}", name_of(call.op));
  if (is_rooted(call.kind)) words += fmt::format(", root {}", call.peer);
  return words;
}

bool agree(const Call& a, const Call& b) {
  return a.kind == b.kind && a.type == b.type && a.count == b.count && a.op == b.op &&
         (!is_rooted(a.kind) || a.peer == b.peer);
}

std::string words_of(const Group& group) {
  constexpr std::size_t kMost = 16;
  if (group.ranks.size() <= kMost) return fmt::format("group [{}]", fmt::join(group.ranks, ", "));
  return fmt::format("a group of {} ranks from rank {}", group.ranks.size(), group.ranks.front());
}

// Finds the meetings. Each function yields what is wrong, or nothing.
class Matcher {
 public:
  Matcher(Plan& plan, const Places& places)
      : plan_(plan), places_(places), collectives_(plan.groups.size()) {}

  std::string match();
  std::vector<Meeting> take() { return std::move(meetings_); }

 private:
  using Pair = std::tuple<std::size_t, int, int>;  // group, from, to
  struct Collective {
    std::size_t meeting = 0, instance = 0;
  };
  struct Messages {
    std::vector<std::size_t> meetings{};
    std::size_t sent = 0, received = 0;
  };

  std::string add_collective(Place at, Collective& known);
  std::string add_message(Place at, const Pair& pair, const Call& call, bool sends);
  std::string add_messages(Place at);
  void join_messages();
  std::string alone() const;
  std::string uneven(const Meeting& meeting) const;
  Unit& unit_at(const Place& at) const { return plan_.ranks[at.rank][at.unit]; }
  const Call& call_at(const Place& at) const { return unit_at(at).calls.front(); }

  Plan& plan_;
  const Places& places_;
  std::vector<Meeting> meetings_;
  std::vector<std::vector<Collective>> collectives_;  // of each group, in their order
  std::map<Pair, Messages> messages_;
};

std::string Matcher::add_collective(Place at, Collective& known) {
  auto& meeting = meetings_[known.meeting];
  const auto& call = call_at(at);
  if (!meeting.units.empty() && !agree(call_at(meeting.units.front()), call))
    return fmt::format(
        "Ranks disagree on a call of {}: {} on rank {}, {} on rank {}. Give the same steps of one "
        "job of all ranks.",
        words_of(plan_.groups[call.group]), words_of(call_at(meeting.units.front())),
        meeting.units.front().rank, words_of(call), at.rank);
  meeting.units.push_back(at);
  unit_at(at).instance = known.instance;
  return {};
}

std::string Matcher::add_message(Place at, const Pair& pair, const Call& call, bool sends) {
  auto& messages = messages_[pair];
  const auto number = sends ? messages.sent++ : messages.received++;
  const auto bytes = call.count * bytes_of(call.type);
  if (number == messages.meetings.size()) {
    messages.meetings.push_back(meetings_.size());
    meetings_.push_back({.needed = 2, .bytes = bytes});
  }
  auto& meeting = meetings_[messages.meetings[number]];
  meeting.units.push_back(at);
  if (bytes == meeting.bytes) return {};
  const auto other = meeting.units.front().rank;
  return fmt::format(
      "Rank {} sends {} bytes to rank {}, which expects {}: give the same steps of one job of all "
      "ranks.",
      sends ? at.rank : other, sends ? bytes : meeting.bytes, sends ? other : at.rank,
      sends ? meeting.bytes : bytes);
}

std::string Matcher::add_messages(Place at) {
  auto& unit = unit_at(at);
  unit.instance = plan_.instances++;
  const int mine = places_[at.rank].at(unit.group());
  std::string problem;
  for (const auto& call : unit.calls) {
    const bool swaps = call.kind == OpKind::send_recv;
    const int source = swaps ? call.source : call.peer;
    if (call.kind != OpKind::recv)
      problem = add_message(at, {call.group, mine, call.peer}, call, true);
    if (problem.empty() && (swaps || call.kind == OpKind::recv))
      problem = add_message(at, {call.group, source, mine}, call, false);
    if (!problem.empty()) return problem;
  }
  return {};
}

// A send and its recv are one instance, where neither is part of a batch.
void Matcher::join_messages() {
  for (const auto& [pair, messages] : messages_)
    for (const auto index : messages.meetings) {
      const auto& units = meetings_[index].units;
      const auto single = [&](const Place& at) {
        return unit_at(at).calls.size() == 1 && call_at(at).kind != OpKind::send_recv;
      };
      if (std::ranges::all_of(units, single))
        unit_at(units.back()).instance = unit_at(units.front()).instance;
    }
}

// A collective that some of its ranks do not make, or a message that one of the two does not.
std::string Matcher::alone() const {
  for (const auto& meeting : meetings_) {
    if (meeting.units.size() == meeting.needed) continue;
    const auto& at = meeting.units.front();
    const auto& call = call_at(at);
    return fmt::format(
        "Rank {} makes {} in {}, and {} of its {} ranks {} not: give the same steps of all ranks.",
        at.rank, words_of(call), words_of(plan_.groups[call.group]),
        meeting.needed - meeting.units.size(), meeting.needed,
        meeting.needed - meeting.units.size() == 1 ? "does" : "do");
  }
  return {};
}

// What one rank sends to another is what that one expects.
std::string Matcher::uneven(const Meeting& meeting) const {
  const auto& first = call_at(meeting.units.front());
  if (first.kind != OpKind::all_to_all_v) return {};
  for (std::size_t from = 0; from < meeting.units.size(); ++from)
    for (std::size_t to = 0; to < meeting.units.size(); ++to) {
      const auto& group = first.group;
      const auto& sender = meeting.units[from];
      const auto& receiver = meeting.units[to];
      const auto sends =
          call_at(sender).send_counts[static_cast<std::size_t>(places_[receiver.rank].at(group))];
      const auto expects =
          call_at(receiver).recv_counts[static_cast<std::size_t>(places_[sender.rank].at(group))];
      if (sends != expects)
        return fmt::format(
            "In an all_to_all_v rank {} sends {} elements to rank {}, which expects "
            "{}: give the same steps of one job of all ranks.",
            sender.rank, sends, receiver.rank, expects);
    }
  return {};
}

std::string Matcher::match() {
  for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
    std::map<std::size_t, std::size_t> made;  // collectives, in each group
    for (std::size_t i = 0; i < plan_.ranks[rank].size(); ++i) {
      const Place at{rank, i};
      const auto& call = call_at(at);
      if (is_between_two(call.kind)) {
        if (auto problem = add_messages(at); !problem.empty()) return problem;
        continue;
      }
      auto& known = collectives_[call.group];
      const auto number = made[call.group]++;
      if (number == known.size()) {
        known.push_back({meetings_.size(), plan_.instances++});
        meetings_.push_back({.needed = plan_.groups[call.group].ranks.size()});
      }
      if (auto problem = add_collective(at, known[number]); !problem.empty()) return problem;
    }
  }
  if (auto problem = alone(); !problem.empty()) return problem;
  for (const auto& meeting : meetings_)
    if (auto problem = uneven(meeting); !problem.empty()) return problem;
  join_messages();
  return {};
}

// The replay, on ranks that are infinitely fast: each issues its units in their order, once what
// they wait for has ended; those of one group run one after the other.
class Rehearsal {
 public:
  Rehearsal(const Plan& plan, std::vector<Meeting> meetings)
      : plan_(plan), meetings_(std::move(meetings)), ranks_(plan.ranks.size()) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      ranks_[rank].units.resize(plan.ranks[rank].size());
    for (std::size_t i = 0; i < meetings_.size(); ++i)
      for (const auto& at : meetings_[i].units) state(at).meetings.push_back(i);
  }

  std::string stuck() {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) issue(rank);
    while (!ended_.empty()) {
      const auto at = ended_.front();
      ended_.pop_front();
      auto& queue = ranks_[at.rank].queues[group_of(at)];
      queue.pop_front();
      if (!queue.empty()) start({at.rank, queue.front()});
      issue(at.rank);
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      for (std::size_t i = 0; i < ranks_[rank].units.size(); ++i)
        if (!ranks_[rank].units[i].ended)
          return fmt::format(
              "The calls wait for each other in a circle, which {} on rank {} is part of: the "
              "times of the trace are not those of a job whose sends wait for their recvs.",
              words_of(plan_.ranks[rank][i].calls.front()), rank);
    return {};
  }

 private:
  struct State {
    std::vector<std::size_t> meetings{};
    std::size_t held = 0;  // of these
    bool ended = false;
  };
  struct Rank {
    std::vector<State> units{};
    std::size_t next = 0;                                     // to be issued
    std::map<std::size_t, std::deque<std::size_t>> queues{};  // of each group: issued, not ended
  };

  State& state(const Place& at) { return ranks_[at.rank].units[at.unit]; }
  std::size_t group_of(const Place& at) const { return plan_.ranks[at.rank][at.unit].group(); }

  void issue(std::size_t rank) {
    auto& mine = ranks_[rank];
    for (; mine.next < mine.units.size(); ++mine.next) {
      const auto after = plan_.ranks[rank][mine.next].after;
      if (after >= 0 && !mine.units[static_cast<std::size_t>(after)].ended) return;
      auto& queue = mine.queues[group_of({rank, mine.next})];
      queue.push_back(mine.next);
      if (queue.size() == 1) start({rank, mine.next});
    }
  }

  void start(const Place& at) {
    for (const auto index : state(at).meetings) {
      auto& meeting = meetings_[index];
      if (++meeting.arrived < meeting.needed) continue;
      for (const auto& other : meeting.units) hold(other);
    }
  }

  void hold(const Place& at) {
    auto& unit = state(at);
    if (++unit.held < unit.meetings.size()) return;
    unit.ended = true;
    ended_.push_back(at);
  }

  const Plan& plan_;
  std::vector<Meeting> meetings_;
  std::vector<Rank> ranks_;
  std::deque<Place> ended_;
};

}  // namespace

Places places_of(const std::vector<Group>& groups, std::size_t nranks) {
  Places places(nranks);
  for (std::size_t group = 0; group < groups.size(); ++group)
    for (std::size_t place = 0; place < groups[group].ranks.size(); ++place)
      places[static_cast<std::size_t>(groups[group].ranks[place])][group] = static_cast<int>(place);
  return places;
}

std::string meet(Plan& plan, const Places& places) {
  plan.instances = 0;
  Matcher matcher(plan, places);
  if (auto problem = matcher.match(); !problem.empty()) return problem;
  return Rehearsal(plan, matcher.take()).stuck();
}

}  // namespace linerate::replay
