// What the job lost, from all sides, and the one report that all survivors draw from it.
#pragma once

#include "launch/watch/message.h"

#include <vector>

namespace linerate {

class ControlLosses {
 public:
  // False when nothing new: the same process is known as lost by a weightier kind, or by the same
  // kind and a lower origin. What is new is to be passed on.
  bool add(const Loss& loss);

  bool empty() const { return losses_.empty(); }

  // Only the weightiest kind counts: one that died explains others that failed or are missing. Of
  // missing ranks the lowest origin's view alone counts, in its order; the others are in the order
  // of the processes. The same on every process that knows the same losses.
  std::vector<Loss> verdict() const;

 private:
  std::vector<Loss> losses_;  // at most one of each (kind, process)
};

}  // namespace linerate
