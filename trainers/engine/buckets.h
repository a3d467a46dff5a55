// Where each parameter lies in one flat array over all units, and which ranges of it are reduced
// together.
#pragma once

#include "trainers/model/parameters.h"

#include <cstddef>
#include <vector>

namespace linerate::trainers {

// The units one after the other. Each begins at a multiple of `grain` elements: padding, whose
// values stay zero, follows it, so that any run of whole units splits evenly among shards.
struct FlatLayout {
  std::vector<std::size_t> begin{};  // of each unit; one more, where the last one ends
  std::size_t grain = 1;

  std::size_t count() const { return begin.back(); }  // padding included
  std::size_t padded(std::size_t unit) const { return begin[unit + 1] - begin[unit]; }
};

// `shards`: ranks among which a run of units is split. A shard begins on a cache line of float32.
FlatLayout flat_layout(const ParameterTable& table, std::size_t shards);

// A range of the flat array whose gradients are reduced by one call.
struct Bucket {
  std::size_t begin = 0, end = 0;
  std::vector<std::size_t> parameters{};  // of the table: reduced once all are ready

  std::size_t count() const { return end - begin; }
};

struct BucketCaps {
  std::size_t first_bytes = std::size_t{1} << 20;  // PyTorch's kDefaultFirstBucketBytes
  std::size_t bytes = std::size_t{25} << 20;       // and bucket_cap_mb
};

// Buckets in the order in which backward completes them. Parameters are added in the reverse order
// of execution until the cap is reached; none is split, so that a large one exceeds the cap. The
// embeddings, whose gradient the tied head begins and unit 0 completes, come last.
std::vector<Bucket> buckets_of_parameters(const ParameterTable& table, const FlatLayout& layout,
                                          const BucketCaps& caps, std::size_t element_bytes);

// The same of whole units, padding included: what is sharded. `caps.bytes` 0: a bucket per unit.
std::vector<Bucket> buckets_of_units(const ParameterTable& table, const FlatLayout& layout,
                                     const BucketCaps& caps, std::size_t element_bytes);

}  // namespace linerate::trainers
