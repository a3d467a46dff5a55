// Hierarchical: work within groups that share something fast, and one pass of each byte between
// groups, done by all members in parallel. The k-th members of all groups work on slice k.
#include "backends/host/algorithms/pieces.h"
#include "backends/host/algorithms/rows.h"

#include <algorithm>

namespace linerate::host {
namespace {

bool defined(const Problem& problem) {
  switch (problem.kind) {
    case OpKind::all_reduce:
    case OpKind::reduce:
    case OpKind::broadcast:
    case OpKind::reduce_scatter:
    case OpKind::all_gather:
      return problem.groups != nullptr && problem.groups->count() > 1 &&
             problem.groups->count() < problem.nranks;
    default:
      return false;
  }
}

// One rank's view of the groups.
class Member {
 public:
  Member(const Problem& problem, int rank)
      : problem_(problem), groups_(*problem.groups), rank_(rank), index_(groups_.index_of(rank)) {}

  int ngroups() const { return groups_.count(); }
  int group() const { return groups_.of_rank[static_cast<std::size_t>(rank_)]; }
  int index() const { return index_; }
  const std::vector<int>& own_group() const { return groups_.around(rank_); }
  const std::vector<int>& ranks_of(int group) const {
    return groups_.ranks[static_cast<std::size_t>(group)];
  }
  // Slices: as many as the smallest group has members. A member beyond them has none.
  int slices() const { return static_cast<int>(groups_.smallest()); }
  bool has_slice() const { return index_ < slices(); }
  Range slice(int index) const {
    return slice_of(problem_.count, problem_.element_bytes, index, slices());
  }
  // The member of `group` with this rank's slice.
  int counterpart(int group) const { return ranks_of(group)[static_cast<std::size_t>(index_)]; }
  // The part of this rank's slice that `group` completes.
  Range part(int group) const {
    const Range own = slice(index_);
    const Range within = slice_of(own.count, problem_.element_bytes, group, ngroups());
    return {own.offset + within.offset, within.count};
  }
  // The member of a group that carries the block of `rank`.
  static int carrier(const std::vector<int>& group, int rank) {
    return group[static_cast<std::size_t>(rank) % group.size()];
  }

 private:
  const Problem& problem_;
  const Groups& groups_;
  int rank_;
  int index_;
};

std::vector<Place> places(const std::vector<int>& ranks, BufferKind buffer, std::size_t offset) {
  std::vector<Place> all;
  all.reserve(ranks.size());
  for (const int rank : ranks) all.push_back({rank, buffer, offset});
  return all;
}

Step copy(const Place& from, const Place& to, std::size_t count) {
  return {.from = {from}, .to = {to}, .count = count};
}

// Every other member's slice, once that member has done `steps` steps.
void append_other_slices(const Member& me, int rank, std::uint32_t steps, Schedule& schedule) {
  const auto& members = me.own_group();
  for (int i = 0; i < me.slices(); ++i) {
    const int other = (me.index() + i) % me.slices();
    const int peer = members[static_cast<std::size_t>(other)];
    if (peer == rank) continue;
    const Range slice = me.slice(other);
    Step fetch = copy({peer, BufferKind::recv, slice.offset},
                      {rank, BufferKind::recv, slice.offset}, slice.count);
    fetch.waits = {{peer, steps}};
    schedule.steps.push_back(std::move(fetch));
  }
}

// 1: the slice of the own group's inputs. 2: the own part of all groups' slices. 3..: the other
// parts from the counterparts, then the other slices from the own group.
Schedule all_reduce(const Problem& problem, int rank) {
  const Member me(problem, rank);
  Schedule schedule;
  const auto rounds = static_cast<std::uint32_t>(1 + me.ngroups());
  if (me.has_slice()) {
    const Range slice = me.slice(me.index());
    schedule.steps.push_back({.from = places(me.own_group(), BufferKind::send, slice.offset),
                              .to = {{rank, BufferKind::recv, slice.offset}},
                              .count = slice.count});
    const Range own = me.part(me.group());
    Step& between = schedule.steps.emplace_back();
    for (int group = 0; group < me.ngroups(); ++group) {
      between.from.push_back({me.counterpart(group), BufferKind::recv, own.offset});
      if (group != me.group()) between.waits.push_back({me.counterpart(group), 1});
    }
    between.to = {{rank, BufferKind::recv, own.offset}};
    between.count = own.count;
    between.completes = true;
    for (int i = 1; i < me.ngroups(); ++i) {
      const int group = (me.group() + i) % me.ngroups();
      const Range part = me.part(group);
      Step fetch = copy({me.counterpart(group), BufferKind::recv, part.offset},
                        {rank, BufferKind::recv, part.offset}, part.count);
      fetch.waits = {{me.counterpart(group), 2}};
      schedule.steps.push_back(std::move(fetch));
    }
  }
  append_other_slices(me, rank, rounds, schedule);
  return schedule;
}

// 1: the slice of the own group's inputs, to scratch. 2, in the root's group: all groups' slices,
// into the root's buffer.
Schedule reduce(const Problem& problem, int rank) {
  const Member me(problem, rank);
  if (!me.has_slice()) return {};
  const Range slice = me.slice(me.index());
  const int home = Member(problem, problem.root).group();
  Step step{.from = places(me.own_group(), BufferKind::send, slice.offset), .count = slice.count};
  if (me.group() != home) {
    step.to = {{rank, BufferKind::scratch, slice.offset}};
    return {.steps = {std::move(step)}, .scratch_count = problem.count};
  }
  for (int group = 0; group < me.ngroups(); ++group) {
    if (group == home) continue;
    step.from.push_back({me.counterpart(group), BufferKind::scratch, slice.offset});
    step.waits.push_back({me.counterpart(group), 1});
  }
  step.to = {{problem.root, BufferKind::recv, slice.offset}};
  step.completes = true;
  return {.steps = {std::move(step)}};
}

// The root's group reads the root; of other groups each member reads its slice, then the others'.
Schedule broadcast(const Problem& problem, int rank) {
  const Member me(problem, rank);
  const bool home = me.group() == Member(problem, problem.root).group();
  if (home)
    return {.steps = {copy({problem.root, BufferKind::send, 0}, {rank, BufferKind::recv, 0},
                           problem.count)}};
  Schedule schedule;
  if (me.has_slice()) {
    const Range slice = me.slice(me.index());
    schedule.steps.push_back(copy({problem.root, BufferKind::send, slice.offset},
                                  {rank, BufferKind::recv, slice.offset}, slice.count));
  }
  append_other_slices(me, rank, 1, schedule);
  return schedule;
}

// Blocks of other groups that this member brings in, in the order of its steps.
std::vector<int> blocks_carried(const Member& me, const Problem& problem, int carrier) {
  std::vector<int> blocks;
  const auto& own = me.own_group();
  for (int block = 0; block < problem.nranks; ++block)
    if (std::ranges::find(own, block) == own.end() && Member::carrier(own, block) == carrier)
      blocks.push_back(block);
  return blocks;
}

// First the blocks that this member carries, then the own group's, then what the others carried.
Schedule all_gather(const Problem& problem, int rank) {
  const Member me(problem, rank);
  Schedule schedule;
  const auto fetch = [&](const Place& from, int block) {
    const std::size_t to = static_cast<std::size_t>(block) * problem.count;
    schedule.steps.push_back(copy(from, {rank, BufferKind::recv, to}, problem.count));
  };
  for (const int block : blocks_carried(me, problem, rank))
    fetch({block, BufferKind::send, 0}, block);
  for (const int peer : me.own_group()) fetch({peer, BufferKind::send, 0}, peer);
  for (const int peer : me.own_group()) {
    if (peer == rank) continue;
    std::uint32_t steps = 0;
    for (const int block : blocks_carried(me, problem, peer)) {
      fetch({peer, BufferKind::recv, static_cast<std::size_t>(block) * problem.count}, block);
      schedule.steps.back().waits = {{peer, ++steps}};
    }
  }
  return schedule;
}

// Each member reduces its group's inputs for the blocks that it carries; the owners of the blocks
// add the groups' parts to their own group's inputs.
Schedule reduce_scatter(const Problem& problem, int rank) {
  const Member me(problem, rank);
  Schedule schedule;
  for (const int block : blocks_carried(me, problem, rank)) {
    const std::size_t offset = static_cast<std::size_t>(block) * problem.count;
    schedule.steps.push_back({.from = places(me.own_group(), BufferKind::send, offset),
                              .to = {{rank, BufferKind::scratch, schedule.scratch_count}},
                              .count = problem.count});
    schedule.scratch_count += problem.count;
  }
  const std::size_t offset = static_cast<std::size_t>(rank) * problem.count;
  Step own{.from = places(me.own_group(), BufferKind::send, offset),
           .to = {{rank, BufferKind::recv, 0}},
           .count = problem.count,
           .completes = true};
  for (int group = 0; group < me.ngroups(); ++group) {
    if (group == me.group()) continue;
    const auto& others = me.ranks_of(group);
    const int carrier = Member::carrier(others, rank);
    const auto blocks = blocks_carried(Member(problem, carrier), problem, carrier);
    const auto place = static_cast<std::size_t>(std::ranges::find(blocks, rank) - blocks.begin());
    own.from.push_back({carrier, BufferKind::scratch, place * problem.count});
    own.waits.push_back({carrier, static_cast<std::uint32_t>(place + 1)});
  }
  schedule.steps.push_back(std::move(own));
  return schedule;
}

Schedule schedule(const Problem& problem, int rank) {
  switch (problem.kind) {
    case OpKind::all_reduce:
      return all_reduce(problem, rank);
    case OpKind::reduce:
      return reduce(problem, rank);
    case OpKind::broadcast:
      return broadcast(problem, rank);
    case OpKind::all_gather:
      return all_gather(problem, rank);
    default:
      return reduce_scatter(problem, rank);
  }
}

}  // namespace

const Algorithm kHierarchical{
    .name = "hierarchical",
    .words = "groups first (shared cache, memory node, emulated host), then between groups",
    .defined = defined,
    .schedule = schedule,
};

}  // namespace linerate::host
