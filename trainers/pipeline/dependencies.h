// What each operation of a schedule waits for, by the rules of schedule.h. A send and its receive
// are one node: neither ends before the other has begun (rendezvous), as libraries do with large
// messages.
#pragma once

#include "trainers/pipeline/schedule.h"

#include <compare>
#include <cstddef>
#include <vector>

namespace linerate::trainers {

struct PlacedOperation {
  int stage = 0;
  Operation operation{};

  auto operator<=>(const PlacedOperation&) const = default;
};

struct Dependencies {
  std::vector<std::vector<std::size_t>> nodes{};      // of each stage's operations
  std::vector<PlacedOperation> operations{};          // by node; of a message the send
  std::vector<std::vector<std::size_t>> waits_for{};  // by node

  // Each node after those that it waits for; without the nodes that can never begin.
  std::vector<std::size_t> order() const;
  // Nodes of which each waits for the next, and the last for the first. REQUIRES: order() has not
  // all.
  std::vector<std::size_t> circle() const;
};

// REQUIRES: each send has its receive, and streams have one order at both ends.
Dependencies dependencies_of(const PipelineSchedule& schedule);

}  // namespace linerate::trainers
