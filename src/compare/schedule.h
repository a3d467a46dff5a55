// In which order commands take turns, so that a machine that changes favours neither.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace linerate {

struct Turn {
  std::size_t side = 0;
  int repeat = 1;
};

// Each side `repeats` times. Within each block of two repeats the order is drawn by
// lot: that alone is what the test between runs rests on. The same seed draws the same order on
// every machine.
std::vector<Turn> turns(std::size_t sides, int repeats, std::uint64_t seed);

// Which of two sides has the first turn of each repeat, where they take turns within it.
std::vector<std::size_t> first_turns(int repeats, std::uint64_t seed);

}  // namespace linerate
