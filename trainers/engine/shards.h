// Which part of the parameters a rank steps, and how a trainer shares state among ranks.
#pragma once

#include "trainers/engine/buckets.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linerate::trainers {

// ZeRO's stages (Rajbhandari et al. 2020): what each rank holds a shard of only.
enum class Stage : std::uint8_t {
  none,        // 0: data parallel, as DDP
  optimizer,   // 1
  gradients,   // 2: and the optimizer
  parameters,  // 3: and both others, as FSDP
};

// Elements of the flat array that this rank steps. `at` is where they lie in arrays that hold this
// rank's ranges alone, one after the other.
struct OwnedRange {
  std::size_t begin = 0, count = 0;
  std::size_t at = 0;
};

// Of a rank of the mesh, by the placements of the optimizer's state: everything, or its part of
// each bucket, in their order.
std::vector<OwnedRange> owned_of(const ParameterTable& table, const FlatLayout& layout,
                                 std::span<const Bucket> buckets, std::size_t rank);

inline std::size_t count_of(std::span<const OwnedRange> owned) {
  return owned.empty() ? 0 : owned.back().at + owned.back().count;
}

// The part of a parameter in an owned range.
struct ParameterSlice {
  std::size_t parameter = 0;  // of the table
  std::size_t index = 0;      // of its first element within the parameter
  std::size_t count = 0;
  std::size_t flat = 0;   // of its first element in the flat array
  std::size_t at = 0;     // and among the owned ones
  std::size_t owned = 0;  // range
};

// Of its elements, those that this tensor-parallel rank counts and saves: its first ones.
std::size_t counted_of(const Parameter& parameter, const ParameterSlice& slice);

std::vector<ParameterSlice> slices_of(const ParameterTable& table, const FlatLayout& layout,
                                      std::span<const OwnedRange> owned);

// The part of the slices that one of `nranks` writes where all of them have the same ones: elements
// in their order, cut evenly.
std::vector<ParameterSlice> share_of_slices(std::span<const ParameterSlice> slices,
                                            std::size_t rank, std::size_t nranks);

}  // namespace linerate::trainers
