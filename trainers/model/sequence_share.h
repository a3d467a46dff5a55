// Context parallelism: the positions of each sequence that a rank computes, and the leaves that
// gradients of parameters are summed up of.
//
// A rank's rows are, for each sequence, its chunks of the split, one after the other. In canonical
// mode a sequence has a fixed number of leaves, on any number of ranks, and each chunk some of
// them. The gradient of a leaf is computed by itself; all are added up a fixed tree.
#pragma once

#include "comm/buffer.h"
#include "model/context_parallel.h"
#include "trainers/model/config.h"
#include "trainers/parallel/tree_sum.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace linerate::trainers {

// How attention gets what other ranks have of a sequence.
enum class ContextMethod : std::uint8_t { ring, ulysses };

struct SequenceShare {
  SequenceSplit split{.zigzag = false};  // of length 0: whole sequences
  std::size_t rank = 0;
  std::size_t leaves = 1;  // of a sequence; fast mode has one

  std::size_t leaf_length() const { return split.length / leaves; }
  std::size_t leaves_of_chunk() const { return leaves / split.chunks(); }
};

// Rows of this rank that hold consecutive positions of a sequence of the micro-batch.
struct RowRun {
  std::size_t first = 0, count = 0;
  std::size_t sequence = 0, position = 0;  // of the first
};

// Calls body(run) for each run of `rows`.
template <typename Body>
void each_run(const SequenceShare& share, Range rows, Body body) {
  const auto& split = share.split;
  const auto end = rows.offset + rows.count;
  for (auto row = rows.offset; row < end;) {
    const auto chunk = row / split.chunk_length(), in_chunk = row % split.chunk_length();
    const auto slot = chunk % split.chunks_of_rank();
    const RowRun run{
        .first = row,
        .count = std::min(split.chunk_length() - in_chunk, end - row),
        .sequence = chunk / split.chunks_of_rank(),
        .position = split.chunk_at(share.rank, slot).index * split.chunk_length() + in_chunk};
    body(run);
    row += run.count;
  }
}

// Leaves of canonical mode: a power of two, so that chunks of it are subtrees of the same tree.
std::size_t sequence_leaves(std::size_t length);

struct ContextConfig {
  std::size_t nranks = 1;
  ContextMethod method = ContextMethod::ring;
  bool deterministic = false;
};
// Two chunks for each rank where they divide the sequence, so that all have as much to do; else
// one.
SequenceShare sequence_share(std::size_t length, const ContextConfig& context, std::size_t rank);
// Nothing, or why the sequences of this model, a tensor-parallel rank's share, cannot be cut so.
std::optional<std::string> context_refusal(const ModelConfig& share, const ContextConfig& context);

}  // namespace linerate::trainers
