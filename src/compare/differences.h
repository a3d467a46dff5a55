// What was not the same on both sides, and what then cannot be compared.
#pragma once

#include "compare/runs.h"

#include <string>
#include <vector>

namespace linerate {

// One thing that differs between the sides, or within one. A value that some runs of a side lack
// is "unset"; several are listed.
struct SideDifference {
  std::string what{};  // "bytes touched", "NCCL_ALGO", "data type"
  std::string a{}, b{};
  // Times of the two are of different things: other types, ranks or collectives, and what makes
  // the same case another measurement.
  bool forbids = false;
};

// Those that forbid first.
std::vector<SideDifference> differences(const Side& a, const Side& b);

// Keys of both sides without what they nowhere share, so that what is left can be matched: with
// --force. Yields why not, where cases of one run would become one; else nothing.
std::string forget_unshared(Side& a, Side& b);

}  // namespace linerate
