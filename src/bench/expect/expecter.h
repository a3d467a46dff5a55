// How fast the results of a run should be, whoever knows it.
#pragma once

#include "bench/plan.h"

#include <optional>

namespace linerate {

// A case as the run does it.
struct SizedCase {
  const Case& what;
  Placement placement = Placement::out_of_place;
  Sizing sizing{};  // of the row; the rank does not matter
};

// Asked on rank 0's thread, outside every timed region.
class Expecter {
 public:
  virtual ~Expecter() = default;
  // Nothing where nobody can tell.
  virtual std::optional<Expectation> of(const SizedCase& what) const = 0;
};

}  // namespace linerate
