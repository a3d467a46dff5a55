// A collective as data: what one rank reads, combines and writes, and whom it waits for before.
#pragma once

#include "comm/op.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linerate::host {

// What the ranks of a group have in common by which they may be told apart: shared cache, memory
// node, or emulated host. Groups are numbered from 0, without gaps.
struct Groups {
  std::vector<int> of_rank;             // the group of each rank
  std::vector<std::vector<int>> ranks;  // of each group, ascending

  // `marks` are equal where ranks belong together.
  static Groups from_marks(std::span<const int> marks);
  // One group of everybody.
  static Groups one(int nranks);

  int count() const { return static_cast<int>(ranks.size()); }
  const std::vector<int>& around(int rank) const {
    return ranks[static_cast<std::size_t>(of_rank[static_cast<std::size_t>(rank)])];
  }
  // Its place within its group.
  int index_of(int rank) const {
    const auto& members = around(rank);
    return static_cast<int>(std::ranges::find(members, rank) - members.begin());
  }
  std::size_t smallest() const {
    return std::ranges::min(ranks, {}, [](const auto& r) { return r.size(); }).size();
  }
};

// The question that every rank of a call asks in the same words. Counts are in elements.
struct Problem {
  OpKind kind = OpKind::all_reduce;
  std::size_t count = 0;  // as Op's
  std::size_t element_bytes = 4;
  int nranks = 1;
  int root = 0;
  const Groups* groups = nullptr;  // outlives the problem
};

enum class BufferKind : std::uint8_t { send, recv, scratch };

// Where elements lie: in one of three buffers of a rank.
struct Place {
  int rank = 0;
  BufferKind buffer = BufferKind::send;
  std::size_t offset = 0;  // elements

  friend bool operator==(const Place&, const Place&) = default;
};

// Not before `rank` has ended its first `steps` steps.
struct Wait {
  int rank = 0;
  std::uint32_t steps = 0;
};

// every to[i] = reduction over all from[j], of `count` elements; a copy when there is one source.
// Sources and destinations are the same memory or do not overlap.
struct Step {
  std::vector<Wait> waits{};
  std::vector<Place> from{};
  std::vector<Place> to{};
  std::size_t count = 0;
  bool completes = false;  // the result holds all ranks' parts: an average divides here
};

// One rank's steps, in order. Every rank whose buffers they name has entered the call before the
// first one.
struct Schedule {
  std::vector<Step> steps{};
  std::size_t scratch_count = 0;  // elements of this rank's scratch buffer
};

}  // namespace linerate::host
