// What a range of a buffer holds, described: filled and compared by a Device, defined by pattern/.
#pragma once

#include "comm/data_type.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace linerate {

// A range of elements whose values are a pure function of this description and their index.
struct Content {
  enum class Kind {
    input,      // the input of rank `rank`: element i is its element first_index + i
    reduction,  // `op` over the inputs of all `nranks` ranks at first_index + i
    poison,     // no result: a bit pattern that no input takes, nor a reduction, but for sums of
                // integers that wrap around to it: of the 8-bit types, one element in 256
  };
  Kind kind = Kind::input;
  DataType type = DataType::float32;
  RedOp op = RedOp::sum;  // inputs depend on the operator too: they make its result exact
  int rank = 0;           // input only
  int nranks = 1;
  std::uint64_t seed = 0;
  std::size_t first_index = 0;
};

// The first element that differs, in printable form.
struct FirstWrong {
  std::size_t index = 0;  // within the range compared
  double expected = 0;
  double got = 0;
  std::uint64_t expected_bits = 0;
  std::uint64_t got_bits = 0;
};

struct Comparison {
  std::uint64_t wrong = 0;
  std::optional<FirstWrong> first;  // present when wrong > 0
};

}  // namespace linerate
