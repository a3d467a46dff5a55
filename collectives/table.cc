// Every collective, and the arithmetic of sizes that all of them share.
#include "collectives/rows.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>

namespace linerate {
namespace {

#define ADDRESS(row) &(row),
constexpr const Collective* kRows[] = {LINERATE_COLLECTIVES(ADDRESS)};
#undef ADDRESS

// Without _perf, and as MPI's, NCCL's and PyTorch's spellings have in common: "allreduce".
std::string plain_name(std::string_view name) {
  constexpr std::string_view kSuffix = "_perf";
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  std::string plain;
  for (const char c : name)
    if (c != '_' && c != '-')
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return plain;
}

}  // namespace

std::span<const Collective* const> all_collectives() { return kRows; }

const Collective* find_collective(std::string_view name) {
  const auto plain = plain_name(name);
  const auto row = std::ranges::find_if(
      kRows, [&](const Collective* c) { return plain_name(c->name) == plain; });
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
