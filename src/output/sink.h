// Where results go: the console table, JSON Lines, CSV, nccl-tests JSON. Rank 0 only.
#pragma once

#include "record/record.h"

#include <span>

namespace linerate {

// Called in this order: begin once, row per case, end once (also after an error or Ctrl-C).
// A row is one case of one size: the records of both placements and of all groups, placement first.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void begin(const RunInfo& run) = 0;
  // What an average over groups gives for each placement stands in `table`, 1 or 2 records;
  // `groups` holds one record per group and placement.
  virtual void row(std::span<const Record> table, std::span<const Record> groups) = 0;
  virtual void end(const EndInfo& end) = 0;
};

}  // namespace linerate
