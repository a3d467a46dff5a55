// What is asked of the list in rows.h.
#include "backends/host/algorithms/rows.h"

#include <algorithm>

namespace linerate::host {

std::span<const Algorithm* const> all_algorithms() {
#define ADDRESS(row) &(row),
  static constexpr const Algorithm* kAlgorithms[] = {LINERATE_HOST_ALGORITHMS(ADDRESS)};
#undef ADDRESS
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
