// Where results go: the console table, JSON Lines, CSV, nccl-tests JSON. Rank 0 only.
#pragma once

#include "record/record.h"

#include <span>

namespace linerate {

// Called in this order: begin once; for each case result for each placement and group, as soon as
// it is there, then row; end once (also after an error or Ctrl-C). A sink takes what it shows.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void begin(const RunInfo& run) = 0;
  virtual void result(const Record&) {}
  // A case of one size: one record for each placement, averaged over groups.
  virtual void row(std::span<const Record>) {}
  virtual void end(const EndInfo& end) = 0;
};

}  // namespace linerate
