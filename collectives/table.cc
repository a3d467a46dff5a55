// Every collective, and the arithmetic of sizes that all of them share.
#include "collectives/rows.h"

#include <algorithm>
#include <iterator>

namespace linerate {
namespace {

#define ADDRESS(row) &(row),
constexpr const Collective* kRows[] = {LINERATE_COLLECTIVES(ADDRESS)};
#undef ADDRESS

// all_to_all, alltoall_perf, alltoall.
bool is_called(const Collective& collective, std::string_view name) {
  constexpr std::string_view kSuffix = "_perf";
  const auto& binary = collective.binary;
  return name == collective.name || name == binary ||
         (binary.starts_with(name) && binary.substr(name.size()) == kSuffix);
}

}  // namespace

std::span<const Collective* const> all_collectives() { return kRows; }

const Collective* find_collective(std::string_view name) {
  const auto row =
      std::ranges::find_if(kRows, [&](const Collective* c) { return is_called(*c, name); });
  return row == std::end(kRows) ? nullptr : *row;
}

std::size_t count_of(const Collective& collective, std::size_t bytes, DataType type, int nranks) {
  const std::size_t elements = bytes / bytes_of(type);
  if (!collective.divides_by_ranks) return elements;
  const std::size_t grain = kGrainBytes / bytes_of(type);
  return elements / static_cast<std::size_t>(nranks) / grain * grain;
}

std::size_t algbw_count(const Collective& collective, const Sizing& sizing) {
  if (collective.counted != nullptr) return collective.counted(sizing);
  return row_bytes(collective, sizing, sizing.type) / bytes_of(sizing.type);
}

std::size_t row_bytes(const Collective& collective, const Sizing& sizing, DataType type) {
  Sizing of_rank = sizing;
  of_rank.type = type;
  std::size_t most = 0;
  const int ranks = collective.varies ? sizing.nranks : 1;  // elsewhere all ranks are alike
  for (of_rank.rank = 0; of_rank.rank < ranks; ++of_rank.rank) {
    const auto shape = collective.shape(of_rank);
    most = std::max({most, shape.sendcount, shape.recvcount});
  }
  return most * bytes_of(type);
}

}  // namespace linerate
