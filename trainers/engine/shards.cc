#include "trainers/engine/shards.h"

#include "trainers/parallel/injected.h"

#include <algorithm>

namespace linerate::trainers {

std::vector<OwnedRange> owned_of(const ParameterTable& table, const FlatLayout& layout,
                                 std::span<const Bucket> buckets, std::size_t rank) {
  const auto& placements = table.placements.optimizer;
  if (!is_sharded(placements)) return {{.count = layout.count()}};
  if (injected(Bug::shard_of_the_neighbour)) rank = (rank + 1) % table.mesh.nranks();
  std::vector<OwnedRange> owned;
  std::size_t at = 0;
  for (const auto& bucket : buckets) {
    const auto box =
        box_of({.shape = {bucket.count()}, .placements = placements}, table.mesh, rank);
    owned.push_back({.begin = bucket.begin + box.offset[0], .count = box.shape[0], .at = at});
    at += box.shape[0];
  }
  return owned;
}

std::size_t counted_of(const Parameter& parameter, const ParameterSlice& slice) {
  const auto counted = parameter.count() - parameter.uncounted;
  return slice.index < counted ? std::min(slice.count, counted - slice.index) : 0;
}

std::vector<ParameterSlice> slices_of(const ParameterTable& table, const FlatLayout& layout,
                                      std::span<const OwnedRange> owned) {
  std::vector<ParameterSlice> slices;
  for (std::size_t index = 0; index < owned.size(); ++index) {
    const auto& range = owned[index];
    for (std::size_t i = 0; i < table.parameters.size(); ++i) {
      const auto& parameter = table.parameters[i];
      const auto first = layout.begin[parameter.unit] + parameter.offset;
      const auto begin = std::max(first, range.begin);
      const auto end = std::min(first + parameter.count(), range.begin + range.count);
      if (begin >= end) continue;
      slices.push_back({.parameter = i,
                        .index = begin - first,
                        .count = end - begin,
                        .flat = begin,
                        .at = range.at + begin - range.begin,
                        .owned = index});
    }
  }
  return slices;
}

std::vector<ParameterSlice> share_of_slices(std::span<const ParameterSlice> slices,
                                            std::size_t rank, std::size_t nranks) {
  std::size_t total = 0;
  for (const auto& slice : slices) total += slice.count;
  const auto first = total * rank / nranks, last = total * (rank + 1) / nranks;
  std::vector<ParameterSlice> share;
  std::size_t start = 0;  // of the slice, among the elements of all
  for (const auto& slice : slices) {
    const auto begin = std::max(start, first), end = std::min(start + slice.count, last);
    if (begin < end) {
      auto& part = share.emplace_back(slice);
      part.index += begin - start;
      part.flat += begin - start;
      part.at += begin - start;
      part.count = end - begin;
    }
    start += slice.count;
  }
  return share;
}

}  // namespace linerate::trainers
