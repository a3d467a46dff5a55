// Context parallelism: sequences that are cut among ranks. Who has which positions, how much of
// causal attention each rank computes, and what it sends, in whole numbers.
//
// Ring attention (Liu et al. 2023) keeps queries where they are and passes keys and values around.
// Ulysses (Jacobs et al. 2023) exchanges positions for heads, and back.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace linerate {

// Consecutive positions of a sequence, on a rank: its rows from slot * chunk_length() on.
struct SequenceChunk {
  std::size_t index = 0;  // in the order of positions
  std::size_t rank = 0, slot = 0;
};

// A sequence cut into chunks of equal length, one for each rank or two: zig-zag gives rank r the
// chunks r and 2 ranks - 1 - r, which together see as much of the sequence as any other's.
struct SequenceSplit {
  std::size_t length = 0, ranks = 1;
  bool zigzag = true;

  std::size_t chunks_of_rank() const { return zigzag ? 2 : 1; }
  std::size_t chunks() const { return ranks * chunks_of_rank(); }
  std::size_t chunk_length() const { return length / chunks(); }
  std::size_t local_length() const { return length / ranks; }
  SequenceChunk chunk(std::size_t index) const {
    if (index < ranks) return {index, index, 0};
    return {index, chunks() - 1 - index, 1};
  }
  SequenceChunk chunk_at(std::size_t rank, std::size_t slot) const {
    return {slot == 0 ? rank : chunks() - 1 - rank, rank, slot};
  }
  // Of a rank's rows, in their order.
  std::vector<std::int32_t> positions(std::size_t rank) const;
};

// Pairs of a query of this rank and a key that it sees, for one head of one sequence.
std::uint64_t attention_pairs(const SequenceSplit& split, std::size_t rank);

struct ContextLayout {
  SequenceSplit split{};
  bool exchanges_heads = false;  // Ulysses; else the ring
  // Canonical mode: parts of a sequence whose attention has the same bits on any ranks, or 0.
  std::size_t leaves = 0;
  std::size_t batch = 1, heads = 1, kv_heads = 1, head = 1;
  std::size_t element = 4;  // bytes of q, k, v; sums of the ring's dk and dv have 4 at least
};

// Why attention cannot be laid out so.
std::optional<Failure> refusal(const ContextLayout& layout);

// Of a rank, for one layer's attention to one micro-batch.
struct ContextBytes {
  std::uint64_t forward = 0, backward = 0;

  bool operator==(const ContextBytes&) const = default;
};
// Sent.
ContextBytes context_bytes(const ContextLayout& layout, std::size_t rank);

// At most held by a rank meanwhile, besides q, k, v, o, lse and their gradients, and what Ulysses
// saves from forward to backward.
ContextBytes context_scratch_bytes(const ContextLayout& layout, std::size_t rank);

}  // namespace linerate
