#include "replay/plan.h"

#include "model/wire_bytes.h"
#include "replay/meetings.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <queue>
#include <utility>

namespace linerate::replay {
namespace {

// Clocks tick in nanoseconds: what differs by less is the rounding of binary fractions.
constexpr double kSameMomentUs = 0.0005;
// Nobody waits longer for a replay to go on; and it is far from what a wait can count.
constexpr double kMostGapUs = 3600e6;

// What makes no sense of a call by itself; nothing: all is well.
std::string problem_of(const Call& call, int nranks) {
  const auto is_rank = [&](int rank) { return rank >= 0 && rank < nranks; };
  if (!is_rank(call.peer) || !is_rank(call.source))
    return fmt::format("names rank {} of a group of {}",
                       is_rank(call.peer) ? call.source : call.peer, nranks);
  std::uint64_t most = call.count;
  for (const auto* counts : {&call.send_counts, &call.recv_counts}) {
    if (call.kind == OpKind::all_to_all_v && counts->size() != static_cast<std::size_t>(nranks))
      return fmt::format("has {} counts for {} ranks", counts->size(), nranks);
    std::uint64_t sum = 0;
    for (const auto count : *counts) sum += std::min(count, kMostElements + 1);
    most = std::max(most, sum);
  }
  if (most > kMostElements) return "has more elements than any call";
  if (call.op == RedOp::mulsum) return "reduces by mulsum, whose factors the trace does not hold";
  return {};
}

// Of a rank's calls that overlap, sends and receives in one group begin at once: one of them may
// wait for what another brings.
bool joins(const Unit& unit, const Call& call) {
  const auto& last = unit.calls.back();
  if (!is_between_two(last.kind) || !is_between_two(call.kind) || last.group != call.group)
    return false;
  if (last.kind == OpKind::send_recv || call.kind == OpKind::send_recv) return false;
  return !last.time_us || call.start_us == last.start_us ||
         call.start_us < last.end_us() - kSameMomentUs;
}

// Ascending in time.
std::vector<Unit> units_of(std::vector<Call> calls) {
  std::ranges::stable_sort(calls, {}, &Call::start_us);
  std::vector<Unit> units;
  for (auto& call : calls) {
    if (units.empty() || !joins(units.back(), call)) units.emplace_back();
    units.back().calls.push_back(std::move(call));
  }
  return units;
}

double end_us(const Unit& unit) {
  double end = unit.calls.front().end_us();
  for (const auto& call : unit.calls) end = std::max(end, call.end_us());
  return end;
}

bool is_send(const Unit& unit) {
  return unit.calls.size() == 1 && unit.calls.front().kind == OpKind::send;
}

// What each unit waits for. `buffered`: nothing waits for a send, which may have ended before its
// recv began.
void chain(std::vector<Unit>& units, const std::vector<TimeSpan>& steps, bool buffered) {
  using Ended = std::pair<double, std::int64_t>;
  std::priority_queue<Ended, std::vector<Ended>, std::greater<>> under_way;
  double from_us = steps.empty() ? std::numeric_limits<double>::infinity()
                                 : std::ranges::min(steps, {}, &TimeSpan::start_us).start_us;
  double last_us = -std::numeric_limits<double>::infinity();  // when the unit before began
  std::int64_t after = -1;
  for (std::size_t i = 0; i < units.size(); ++i) {
    auto& unit = units[i];
    const double start_us = unit.calls.front().start_us;
    const auto has_ended = [&] { return under_way.top().first <= start_us + kSameMomentUs; };
    for (; !under_way.empty() && has_ended(); under_way.pop())
      std::tie(from_us, after) = under_way.top();
    unit.after = after;
    unit.gap_us = start_us - std::min(std::max(from_us, last_us), start_us);
    if (unit.calls.front().time_us && !(buffered && is_send(unit)))
      under_way.emplace(end_us(unit), static_cast<std::int64_t>(i));
    if (unit.calls.front().time_us) from_us = std::min(from_us, start_us);
    last_us = start_us;
  }
}

std::size_t bytes_of_call(const Call& call, int nranks) {
  Ranges ranges;
  auto op = request_of(call, ranges);
  const auto extent = extent_of(op, op.peer, nranks);  // as its root, if it has one
  return std::max(extent.send, extent.recv);
}

// Puts units into rows, and makes those that are new. The calls of a collective are in one row,
// whatever each rank's size is.
class Rows {
 public:
  explicit Rows(Plan& plan) : plan_(plan), row_of_(plan.instances, kNone) {}

  // Of a rank of the unit's group.
  void add(Unit& unit, int rank) {
    const int nranks = plan_.groups[unit.group()].nranks();
    auto& row = row_of_[unit.instance];
    if (row == kNone) row = row_like(unit, nranks);
    unit.row = row;
    ++plan_.rows[row].units;
    for (const auto& call : unit.calls) {
      Ranges ranges;
      plan_.rows[row].sent_bytes += wire_bytes(request_of(call, ranges), rank, nranks);
    }
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  std::size_t row_like(const Unit& unit, int nranks) {
    std::size_t bytes = 0;
    for (const auto& call : unit.calls) bytes += bytes_of_call(call, nranks);
    const auto& first = unit.calls.front();
    const bool message = first.kind == OpKind::send || first.kind == OpKind::recv;
    const std::string name(unit.calls.size() > 1 ? kBatch
                           : message             ? kMessage
                                                 : name_of(first.kind));
    const auto [at, is_new] = rows_.emplace(
        std::tuple(first.purpose, name, nranks, std::bit_width(bytes)), plan_.rows.size());
    if (is_new)
      plan_.rows.push_back({.purpose = first.purpose,
                            .name = name,
                            .nranks = nranks,
                            .least_bytes = bytes,
                            .most_bytes = bytes});
    auto& row = plan_.rows[at->second];
    row.least_bytes = std::min(row.least_bytes, bytes);
    row.most_bytes = std::max(row.most_bytes, bytes);
    ++row.instances;
    return at->second;
  }

  Plan& plan_;
  std::vector<std::size_t> row_of_;  // of each instance
  std::map<std::tuple<std::string, std::string, int, int>, std::size_t> rows_;
};

std::string misuse_of(const Plan& plan, const Places& places) {
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank)
    for (const auto& unit : plan.ranks[rank]) {
      if (!(unit.gap_us <= kMostGapUs))
        return fmt::format(
            "Rank {} begins a call {:.3g} s after the one before: the times of the trace make no "
            "sense.",
            rank, unit.gap_us / 1e6);
      for (const auto& call : unit.calls) {
        const auto in_words = fmt::format("A call {} of rank {}", name_of(call.kind), rank);
        if (!places[rank].contains(call.group))
          return fmt::format("{} is in a group that it is no part of.", in_words);
        const auto problem = problem_of(call, plan.groups[call.group].nranks());
        if (!problem.empty()) return fmt::format("{} {}.", in_words, problem);
      }
    }
  return {};
}

}  // namespace

double Unit::recorded_us() const {
  if (!std::ranges::all_of(calls, [](const Call& call) { return call.time_us.has_value(); }))
    return std::numeric_limits<double>::quiet_NaN();
  return end_us(*this) - calls.front().start_us;
}

Op request_of(const Call& call, Ranges& ranges) {
  ranges = {.send = consecutive(call.send_counts), .recv = consecutive(call.recv_counts)};
  return {.kind = call.kind,
          .count = call.count,
          .type = call.type,
          .op = call.op,
          .peer = call.peer,
          .source = call.source,
          .send_ranges = ranges.send,
          .recv_ranges = ranges.recv};
}

std::vector<std::vector<std::int64_t>> splits_of(const std::vector<Group>& groups, int nranks) {
  std::vector<std::vector<std::int64_t>> splits;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    const auto has_room = [&](const std::vector<std::int64_t>& split) {
      return std::ranges::all_of(
          groups[group].ranks, [&](int rank) { return split[static_cast<std::size_t>(rank)] < 0; });
    };
    auto found = std::ranges::find_if(splits, has_room);
    if (found == splits.end())
      found = splits.insert(splits.end(),
                            std::vector<std::int64_t>(static_cast<std::size_t>(nranks), -1));
    for (const int rank : groups[group].ranks)
      (*found)[static_cast<std::size_t>(rank)] = static_cast<std::int64_t>(group);
  }
  return splits;
}

Result<Plan> plan_of(CommTrace trace) {
  Plan plan{.groups = std::move(trace.groups)};
  for (auto& rank : trace.ranks) plan.ranks.push_back(units_of(std::move(rank.calls)));
  const auto chain_all = [&](bool buffered) {
    for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank)
      chain(plan.ranks[rank], trace.ranks[rank].steps, buffered);
  };
  chain_all(false);
  const auto places = places_of(plan.groups, plan.ranks.size());
  if (auto misuse = misuse_of(plan, places); !misuse.empty()) return Failure{std::move(misuse)};
  auto refusal = meet(plan, places);
  if (!refusal.empty()) {
    chain_all(true);
    refusal = meet(plan, places);
  }
  if (!refusal.empty()) return Failure{std::move(refusal)};
  Rows rows(plan);
  for (std::size_t rank = 0; rank < plan.ranks.size(); ++rank)
    for (auto& unit : plan.ranks[rank]) rows.add(unit, places[rank].at(unit.group()));
  return plan;
}

}  // namespace linerate::replay
