#include "compare/schedule.h"

#include "base/splitmix.h"
#include "compare/comparison.h"

#include <algorithm>
#include <utility>

namespace linerate {
namespace {

// Fisher and Yates; the bias of the remainder is below 2^-60.
void shuffle(std::vector<std::size_t>& sides, std::uint64_t& state) {
  for (std::size_t left = sides.size(); left > 1; --left) {
    state += kSplitMixStep;
    std::swap(sides[left - 1], sides[splitmix64(state) % left]);
  }
}

}  // namespace

std::vector<Turn> turns(std::size_t sides, int repeats, std::uint64_t seed) {
  constexpr int kRepeatsOfBlock = repeats_of_block(TurnsAt::runs);
  std::vector<Turn> order;
  std::vector<int> done(sides);
  for (int first = 0; first < repeats; first += kRepeatsOfBlock) {
    std::vector<std::size_t> block;
    for (int i = first; i < std::min(first + kRepeatsOfBlock, repeats); ++i)
      for (std::size_t side = 0; side < sides; ++side) block.push_back(side);
    shuffle(block, seed);
    for (const auto side : block) order.push_back({side, ++done[side]});
  }
  return order;
}

std::vector<std::size_t> first_turns(int repeats, std::uint64_t seed) {
  std::vector<std::size_t> firsts;
  for (const auto& turn : turns(2, repeats, seed))
    if (firsts.size() < static_cast<std::size_t>(repeats)) firsts.push_back(turn.side);
  return firsts;
}

}  // namespace linerate
