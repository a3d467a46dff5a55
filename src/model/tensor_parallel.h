// Tensor parallelism (Shoeybi et al. 2019) and sequence parallelism (Korthikanti et al. 2022): what
// a rank sends for a micro-batch, in whole numbers.
#pragma once

#include <cstdint>

namespace linerate {

struct TensorLayout {
  std::uint64_t nranks = 1;
  std::uint64_t rows = 1, hidden = 1, layers = 1;  // of this rank's stage
  bool embeds = true, heads = true;                // the stage has these ends of the model
  bool repeats_forward = false;                    // of attention, for backward
  bool splits_rows = false;                        // sequence parallelism
  std::uint64_t norm_weights = 1;                  // elements of a norm, by `hidden`
  std::uint64_t element = 4;                       // bytes
  // Ranks that hold the same key and value heads, of so many elements of a position.
  std::uint64_t copies = 1, keys_and_values = 0;
  // Canonical mode: terms that a rank hands on of a sum over heads, columns or tokens; 0: it is
  // not.
  std::uint64_t terms = 0;
};

// By what is added up; and rows that are gathered, with sequence parallelism.
struct TensorBytes {
  std::uint64_t embedding = 0, forward = 0, backward = 0, cross_entropy = 0;
  std::uint64_t rows = 0, norm_weight = 0;
  std::uint64_t keys_and_values = 0;  // of copies

  bool operator==(const TensorBytes&) const = default;
};
TensorBytes tensor_bytes(const TensorLayout& layout);

}  // namespace linerate
