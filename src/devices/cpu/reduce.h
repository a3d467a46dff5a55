// Elementwise reduction of several buffers into one: the arithmetic of every host-side backend.
#pragma once

#include "comm/buffer.h"
#include "comm/data_type.h"
#include "comm/op.h"

#include <cstddef>
#include <span>

namespace linerate {

struct ReduceSpec {
  DataType type = DataType::float32;
  RedOp op = RedOp::sum;
  int nranks = 1;                     // avg divides by it
  std::span<const double> premuls{};  // mulsum: a factor per source, else empty
};

// dst[i] = op over sources[0][i], sources[1][i], …; every source and dst hold `count` elements. dst
// may be one of the sources. half, bfloat16 and fp8 accumulate in float and round once; integers
// wrap around; integer avg divides the wrapped sum, truncating; min and max with NaN are
// unspecified. REQUIRES: sources is not empty.
void reduce(std::byte* dst, std::span<const std::byte* const> sources, std::size_t count,
            const ReduceSpec& spec);

// What surrounds the sums of libraries that have neither mulsum nor avg. mulsum, before: `to` = the
// first `count` elements of op.send times op.premul.
void multiply(std::byte* to, const Op& op, std::size_t count);
// avg, afterwards: divides the sum of op.count elements at `data` by nranks. Nothing for others.
void finish_average(const Op& op, std::byte* data, int nranks);

}  // namespace linerate
