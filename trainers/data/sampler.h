// Which sequences a step reads: a pure function of (seed, step, index), so that a step number is
// all that a resumed run needs, on any number of ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

namespace linerate::trainers {

// Indices [first, first + count) of a global batch.
struct Share {
  std::uint64_t first = 0, count = 0;
  bool operator==(const Share&) const = default;
};

// Of `count` indices those of `rank`: contiguous, and the first ranks take one more where the
// division leaves a rest.
Share share_of(std::uint64_t count, int rank, int nranks);

// The number that `index` becomes in a permutation of [0, count), chosen by `key`; no table.
// REQUIRES: index < count.
std::uint64_t permuted(std::uint64_t index, std::uint64_t count, std::uint64_t key);

// An epoch is a permutation of the source's sequences, another one each time. Batches go on across
// the end of an epoch, so that each is full.
struct Sampler {
  std::uint64_t seed = 0;
  std::optional<std::uint64_t> sequences{};  // of the source; nothing: without end, in their order
  std::uint64_t batch = 1;                   // sequences of a global batch

  // The sequence at `index` of the global batch of a step, counted from 0. REQUIRES: index < batch.
  std::uint64_t sequence(std::uint64_t step, std::uint64_t index) const;
};

}  // namespace linerate::trainers
