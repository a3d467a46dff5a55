// How fast the results of a run should be, whoever knows it.
#pragma once

#include "bench/clock_span.h"
#include "bench/plan.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace linerate {

// A case as the run does it.
struct SizedCase {
  const Case& what;
  Placement placement = Placement::out_of_place;
  Sizing sizing{};  // of the row; the rank does not matter
};

// A case that several groups of ranks do at the same time, and how that went.
struct GroupedCase {
  struct Group {
    Sizing sizing{};
    double busbw_gbps = 0;
  };
  const Case& what;
  Placement placement = Placement::out_of_place;
  std::vector<Group> groups{};  // by colour
  std::uint64_t calls = 1;      // of each window
  // Of each window: of each group; on one clock where all ranks are on one host.
  std::span<const std::vector<ClockSpan>> windows{};
};

// Asked on rank 0's thread, outside every timed region.
class Expecter {
 public:
  virtual ~Expecter() = default;
  // Nothing where nobody can tell.
  virtual std::optional<Expectation> of(const SizedCase& what) const = 0;
  // Of each group; empty where nobody can tell.
  virtual std::vector<std::optional<Expectation>> of_groups(const GroupedCase&) const { return {}; }
};

}  // namespace linerate
