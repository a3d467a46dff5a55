// The lines below the table that say how fast the results should have been.
#pragma once

#include "record/record.h"

#include <string>
#include <vector>

namespace linerate {

// Collects the results of a run that have a bound.
class VerdictText {
 public:
  void add(const Record& record);

  // One line that sums up what was found (EndInfo::findings); with `each`, a line for each result
  // first. Empty where no result has a bound.
  std::string lines(bool each, const EndInfo& end) const;

 private:
  std::vector<Record> results_;  // without their samples' values
};

}  // namespace linerate
