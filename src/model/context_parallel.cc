#include "model/context_parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace linerate {
namespace {

std::optional<Failure> uneven(std::string_view what, std::size_t count, std::string_view parts,
                              std::size_t divisor) {
  if (divisor > 0 && count > 0 && count % divisor == 0) return std::nullopt;
  return Failure{
      fmt::format("{} must be a multiple of {} {}: it is {}.", what, divisor, parts, count)};
}

// Elements of what is sent and held.
struct Counts {
  explicit Counts(const ContextLayout& layout)
      : sum(std::max<std::uint64_t>(layout.element, sizeof(float))),
        rows(layout.batch * layout.split.local_length()),
        out(rows * layout.heads * layout.head),
        kv(2 * rows * layout.kv_heads * layout.head),
        chunk(kv / layout.split.chunks_of_rank()) {}
  std::uint64_t sum;            // bytes of an element that is summed up
  std::uint64_t rows, out, kv;  // of this rank
  std::uint64_t chunk;          // keys and values of one
};

// Canonical mode: pairs of a leaf of this rank and a chunk of any rank, or only of another one,
// that the leaf sees; and of a leaf of any rank and a chunk of this one.
struct LeafParts {
  LeafParts(const ContextLayout& layout, std::size_t rank) {
    const auto& split = layout.split;
    const auto leaves = layout.leaves / split.chunks();
    for (std::size_t slot = 0; slot < split.chunks_of_rank(); ++slot) {
      const auto index = split.chunk_at(rank, slot).index;
      computed += leaves * (index + 1);
      sent += leaves * (index - slot);
      received += leaves * (split.chunks() - index);
    }
  }
  std::uint64_t computed = 0, sent = 0, received = 0;
};

ContextBytes ring_bytes(const ContextLayout& layout, std::size_t rank) {
  const Counts counts(layout);
  const std::uint64_t pass = (layout.split.ranks - 1) * counts.kv;
  if (layout.leaves == 0) return {pass * layout.element, pass * (layout.element + counts.sum)};
  return {pass * layout.element,
          pass * layout.element + LeafParts(layout, rank).sent * counts.chunk * counts.sum};
}

// Of keys and values one's own, those in use and those that arrive; of their gradients one's own,
// those that are computed, that leave and that arrive.
ContextBytes ring_scratch_bytes(const ContextLayout& layout, std::size_t rank) {
  const Counts counts(layout);
  const std::uint64_t ranks = layout.split.ranks;
  const auto kept = layout.leaves == 0 ? std::min<std::uint64_t>(ranks, 3) : ranks + 1;
  const auto keys = kept * counts.kv * layout.element;
  const auto queries = counts.out * counts.sum;
  ContextBytes bytes{
      keys + counts.rows * layout.heads * counts.sum + (layout.element < counts.sum ? queries : 0),
      keys + queries + counts.kv * counts.sum};
  if (ranks == 1) return bytes;
  if (layout.leaves == 0) {
    bytes.backward += std::min<std::uint64_t>(ranks, 3) * counts.kv * counts.sum;
  } else {
    const LeafParts parts(layout, rank);
    bytes.backward += (parts.computed + parts.received) * counts.chunk * counts.sum;
  }
  return bytes;
}

// q, k and v one way and o the other, and their gradients back.
ContextBytes exchange_bytes(const ContextLayout& layout) {
  const Counts counts(layout);
  const auto pair = (2 * counts.out + counts.kv) / layout.split.ranks;
  const auto sent = pair * (layout.split.ranks - 1) * layout.element;
  return {sent, sent};
}

// What is sent and what arrives; in backward beside the heads' gradients.
ContextBytes exchange_scratch_bytes(const ContextLayout& layout) {
  const Counts counts(layout);
  const auto all = counts.out + counts.kv;
  const auto exchange = 2 * all * layout.element;
  const auto sums = layout.leaves == 0 ? 0 : all * counts.sum;
  return {exchange, (counts.out + all) * layout.element + std::max(exchange, sums)};
}

}  // namespace

std::vector<std::int32_t> SequenceSplit::positions(std::size_t rank) const {
  std::vector<std::int32_t> positions;
  for (std::size_t slot = 0; slot < chunks_of_rank(); ++slot)
    for (std::size_t i = 0; i < chunk_length(); ++i)
      positions.push_back(
          static_cast<std::int32_t>(chunk_at(rank, slot).index * chunk_length() + i));
  return positions;
}

std::uint64_t attention_pairs(const SequenceSplit& split, std::size_t rank) {
  std::uint64_t pairs = 0;
  for (const auto position : split.positions(rank))
    pairs += static_cast<std::uint64_t>(position) + 1;
  return pairs;
}

std::optional<Failure> refusal(const ContextLayout& layout) {
  const auto& split = layout.split;
  const auto chunks = split.zigzag ? "chunks (two for each rank of context parallelism)"
                                   : "ranks of context parallelism";
  if (auto failure = uneven("The length of sequences", split.length, chunks, split.chunks()))
    return failure;
  if (layout.exchanges_heads)
    for (const auto& [what, count] : {std::pair{"The number of heads", layout.heads},
                                      {"The number of key and value heads", layout.kv_heads}})
      if (auto failure = uneven(what, count, "ranks of context parallelism", split.ranks))
        return failure;
  if (layout.leaves == 0) return std::nullopt;
  if (auto failure =
          uneven("The length of sequences", split.length, "leaves of attention", layout.leaves))
    return failure;
  if (layout.exchanges_heads) return std::nullopt;
  return uneven("The number of leaves of attention", layout.leaves, chunks, split.chunks());
}

ContextBytes context_bytes(const ContextLayout& layout, std::size_t rank) {
  return layout.exchanges_heads ? exchange_bytes(layout) : ring_bytes(layout, rank);
}

ContextBytes context_scratch_bytes(const ContextLayout& layout, std::size_t rank) {
  return layout.exchanges_heads ? exchange_scratch_bytes(layout) : ring_scratch_bytes(layout, rank);
}

}  // namespace linerate
