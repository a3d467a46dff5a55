#include "trainers/engine/shards.h"

#include "trainers/engine/injected.h"

#include <algorithm>

namespace linerate::trainers {

std::vector<Owned> owned_of(const ParameterTable& table, const FlatLayout& layout,
                            std::span<const Bucket> buckets, std::size_t rank) {
  const auto& placements = table.placements.optimizer;
  if (!is_sharded(placements)) return {{.count = layout.count()}};
  if (injected(Bug::shard_of_the_neighbour)) rank = (rank + 1) % table.mesh.nranks();
  std::vector<Owned> owned;
  std::size_t at = 0;
  for (const auto& bucket : buckets) {
    const auto box =
        box_of({.shape = {bucket.count()}, .placements = placements}, table.mesh, rank);
    owned.push_back({.begin = bucket.begin + box.offset[0], .count = box.shape[0], .at = at});
    at += box.shape[0];
  }
  return owned;
}

std::vector<Piece> pieces_of(const ParameterTable& table, const FlatLayout& layout,
                             std::span<const Owned> owned) {
  std::vector<Piece> pieces;
  for (std::size_t index = 0; index < owned.size(); ++index) {
    const auto& stretch = owned[index];
    for (std::size_t i = 0; i < table.parameters.size(); ++i) {
      const auto& parameter = table.parameters[i];
      const auto first = layout.begin[parameter.unit] + parameter.offset;
      const auto begin = std::max(first, stretch.begin);
      const auto end = std::min(first + parameter.count(), stretch.begin + stretch.count);
      if (begin >= end) continue;
      pieces.push_back({.parameter = i,
                        .index = begin - first,
                        .count = end - begin,
                        .flat = begin,
                        .at = stretch.at + begin - stretch.begin,
                        .owned = index});
    }
  }
  return pieces;
}

std::vector<Piece> share_of_pieces(std::span<const Piece> pieces, std::size_t rank,
                                   std::size_t nranks) {
  std::size_t total = 0;
  for (const auto& piece : pieces) total += piece.count;
  const auto first = total * rank / nranks, last = total * (rank + 1) / nranks;
  std::vector<Piece> share;
  std::size_t start = 0;  // of the piece, among the elements of all
  for (const auto& piece : pieces) {
    const auto begin = std::max(start, first), end = std::min(start + piece.count, last);
    if (begin < end) {
      auto& part = share.emplace_back(piece);
      part.index += begin - start;
      part.flat += begin - start;
      part.at += begin - start;
      part.count = end - begin;
    }
    start += piece.count;
  }
  return share;
}

}  // namespace linerate::trainers
