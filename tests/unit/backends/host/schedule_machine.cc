// See schedule_machine.h.
#include "schedule_machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate::host {

ScheduleMachine::ScheduleMachine(const Algorithm& algorithm, const Problem& problem, bool in_place,
                                 std::uint64_t seed)
    : problem_(problem), in_place_(in_place), random_(seed) {
  const auto n = static_cast<std::size_t>(problem.nranks);
  for (int rank = 0; rank < problem.nranks; ++rank)
    schedules_.push_back(algorithm.schedule(problem, rank));
  done_.resize(n);
  clocks_.assign(n, Clock(n));
  history_.assign(n, {Clock(n)});
  fill();
}

std::string ScheduleMachine::run() {
  std::vector<int> able;
  for (;;) {
    able.clear();
    for (int rank = 0; rank < problem_.nranks; ++rank)
      if (ready(rank)) able.push_back(rank);
    if (able.empty() || !complaint_.empty()) break;
    step(able[random_() % able.size()]);
  }
  for (int rank = 0; rank < problem_.nranks && complaint_.empty(); ++rank) {
    const auto i = static_cast<std::size_t>(rank);
    if (done_[i] != schedules_[i].steps.size())
      complain(fmt::format("rank {} waits for ever in step {}", rank, done_[i] + 1));
    check_end(rank);
    check_result(rank);
  }
  return complaint_;
}

// In place, send lies within recv or recv within send (op.h).
Place ScheduleMachine::home_of(Place place) const {
  if (!in_place_ || place.buffer == BufferKind::scratch) return place;
  const std::size_t own_block = static_cast<std::size_t>(place.rank) * problem_.count;
  const bool root = place.rank == problem_.root;
  switch (problem_.kind) {
    case OpKind::all_reduce:
    case OpKind::broadcast:
    case OpKind::reduce:
      return {place.rank, BufferKind::send, place.offset};
    case OpKind::all_gather:
      return place.buffer == BufferKind::recv
                 ? place
                 : Place{place.rank, BufferKind::recv, place.offset + own_block};
    case OpKind::gather:
      return place.buffer == BufferKind::recv || !root
                 ? place
                 : Place{place.rank, BufferKind::recv, place.offset + own_block};
    case OpKind::reduce_scatter:
      return place.buffer == BufferKind::send
                 ? place
                 : Place{place.rank, BufferKind::send, place.offset + own_block};
    default:
      return place.buffer == BufferKind::send || !root
                 ? place
                 : Place{place.rank, BufferKind::send, place.offset + own_block};
  }
}

ScheduleMachine::Element& ScheduleMachine::at(const Place& place, std::size_t i) {
  const Place home = home_of(place);
  return elements_[{static_cast<std::size_t>(home.rank), static_cast<std::size_t>(home.buffer),
                    home.offset + i}];
}

void ScheduleMachine::fill() {
  const auto n = static_cast<std::size_t>(problem_.nranks);
  const bool blocks = problem_.kind == OpKind::reduce_scatter || problem_.kind == OpKind::scatter;
  for (int rank = 0; rank < problem_.nranks; ++rank)
    for (std::size_t i = 0; i < problem_.count * (blocks ? n : 1); ++i)
      at({rank, BufferKind::send, 0}, i).symbol = input(rank, i);
}

bool ScheduleMachine::ready(int rank) const {
  const auto i = static_cast<std::size_t>(rank);
  if (done_[i] == schedules_[i].steps.size()) return false;
  return std::ranges::all_of(schedules_[i].steps[done_[i]].waits, [&](const Wait& wait) {
    return done_[static_cast<std::size_t>(wait.rank)] >= wait.steps;
  });
}

void ScheduleMachine::step(int rank) {
  const auto r = static_cast<std::size_t>(rank);
  const Step& step = schedules_[r].steps[done_[r]];
  for (const Wait& wait : step.waits) learn(rank, wait);
  ++done_[r];
  clocks_[r][r] = done_[r];
  for (std::size_t i = 0; i < step.count; ++i) {
    Symbol sum;
    for (const Place& from : step.from) {
      Element& element = at(from, i);
      touch(rank, element, false);
      if (sum.parts != 0 && sum.index != element.symbol.index)
        complain(fmt::format("rank {} step {} adds elements {} and {}", rank, done_[r], sum.index,
                             element.symbol.index));
      sum = {sum.parts + element.symbol.parts, element.symbol.index};
    }
    for (const Place& to : step.to) {
      if (step.from.size() == 1 && home_of(to) == home_of(step.from.front())) continue;  // no copy
      Element& element = at(to, i);
      touch(rank, element, true);
      element.symbol = sum;
    }
  }
  history_[r].push_back(clocks_[r]);
}

void ScheduleMachine::learn(int rank, const Wait& wait) {
  const Clock& theirs = history_[static_cast<std::size_t>(wait.rank)][wait.steps];
  Clock& own = clocks_[static_cast<std::size_t>(rank)];
  for (std::size_t i = 0; i < own.size(); ++i) own[i] = std::max(own[i], theirs[i]);
}

bool ScheduleMachine::knows(int rank, const Access& access) const {
  return clocks_[static_cast<std::size_t>(rank)][static_cast<std::size_t>(access.rank)] >=
         access.step;
}

void ScheduleMachine::touch(int rank, Element& element, bool writes) {
  const Access now{rank, done_[static_cast<std::size_t>(rank)]};
  const auto ordered = [&](const std::vector<Access>& earlier) {
    return std::ranges::all_of(earlier, [&](const Access& a) { return knows(rank, a); });
  };
  if (!ordered(element.writes) || (writes && !ordered(element.reads)))
    complain(fmt::format("rank {} step {} races", rank, now.step));
  (writes ? element.writes : element.reads).push_back(now);
}

// After its last waits a rank knows of every access to its buffers.
void ScheduleMachine::check_end(int rank) {
  for (const Wait& wait : last_waits_of(schedules_, rank)) learn(rank, wait);
  for (const auto& [where, element] : elements_)
    if (where[0] == static_cast<std::size_t>(rank))
      for (const auto* accesses : {&element.writes, &element.reads})
        for (const Access& access : *accesses)
          if (!knows(rank, access))
            complain(fmt::format("rank {} leaves before rank {} ends step {}", rank, access.rank,
                                 access.step));
}

Symbol ScheduleMachine::total(std::size_t index) const {
  Symbol sum{0, index};
  for (int rank = 0; rank < problem_.nranks; ++rank) sum.parts += part_of(rank);
  return sum;
}

void ScheduleMachine::check_result(int rank) {
  const auto n = static_cast<std::size_t>(problem_.nranks);
  const std::size_t count = problem_.count;
  const std::size_t first = static_cast<std::size_t>(rank) * count;
  const auto expect = [&](std::size_t i, const Symbol& symbol) {
    if (at({rank, BufferKind::recv, 0}, i).symbol != symbol)
      complain(fmt::format("rank {} has a wrong element {}", rank, i));
  };
  const bool only_root = problem_.kind == OpKind::reduce || problem_.kind == OpKind::gather;
  if (only_root && rank != problem_.root) return;
  const bool gathers = problem_.kind == OpKind::all_gather || problem_.kind == OpKind::gather;
  for (std::size_t i = 0; i < count * (gathers ? n : 1); ++i) switch (problem_.kind) {
      case OpKind::all_reduce:
      case OpKind::reduce:
        expect(i, total(i));
        break;
      case OpKind::reduce_scatter:
        expect(i, total(first + i));
        break;
      case OpKind::all_gather:
      case OpKind::gather:
        expect(i, input(static_cast<int>(i / count), i % count));
        break;
      case OpKind::broadcast:
        expect(i, input(problem_.root, i));
        break;
      default:
        expect(i, input(problem_.root, first + i));
    }
}

void ScheduleMachine::complain(const std::string& what) {
  if (complaint_.empty()) complaint_ = what;
}

}  // namespace linerate::host
