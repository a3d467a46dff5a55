// One line an algorithm.
#include "backends/host/algorithms/rows.h"

#include <algorithm>
#include <array>

namespace linerate::host {

std::span<const Algorithm* const> all_algorithms() {
  static constexpr std::array<const Algorithm*, 7> kAlgorithms{
      &kEager, &kPull, &kFlat, &kRecursiveDoubling, &kRing, &kTree, &kHierarchical};
  return kAlgorithms;
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto all = all_algorithms();
  const auto row = std::ranges::find(all, name, &Algorithm::name);
  return row == all.end() ? nullptr : *row;
}

int variant_of(const Algorithm& algorithm) {
  const auto all = all_algorithms();
  return static_cast<int>(std::ranges::find(all, &algorithm) - all.begin()) + 1;
}

}  // namespace linerate::host
