// The cases of the conformance tests: everything that the table of collectives defines.
#pragma once

#include "collectives/collective.h"

#include <cstddef>
#include <string>
#include <vector>

namespace linerate::conformance {

// How much of what, and where.
struct Size {
  std::size_t count = 0;
  std::size_t lead = 0;  // elements before both buffers: 1 makes them unaligned
  bool matrix = false;   // all_to_all_v: a ragged matrix with empty parts instead of `count`
};

struct Case {
  const Collective* collective = nullptr;
  DataType type = DataType::float32;
  RedOp op = RedOp::sum;
  bool in_place = false;
  int root = 0;
  Size size{};
};

// Every defined combination with the counts that take different paths in a backend: none, one
// element, ragged ones of one and of several cache lines and pages, aligned and not.
std::vector<Case> defined_cases(int nranks);

// How many there must be, from the numbers of rows, types, operators, placements, roots and sizes.
std::size_t defined_count(int nranks);

// A few cases whose buffers exceed `bytes` a rank: every collective and placement once.
std::vector<Case> large_cases(int nranks, std::size_t bytes);

std::string text_of(const Case& c);

}  // namespace linerate::conformance
