// A traffic matrix file of any bytes: a matrix whose sums fit, or a sentence.
#include "collectives/traffic.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace linerate;  // NOLINT: a fuzz target is one function
  constexpr int kRanks = 3;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto matrix = TrafficMatrix::parse(text, kRanks, 1.5);
  if (!matrix) return matrix.sentence().empty() ? (std::abort(), 0) : 0;
  const Sizing sizing{.nranks = kRanks, .traffic = &*matrix, .type = DataType::uint8};
  if (matrix->sent(sizing, 0) < matrix->elements(sizing, 0, 0)) std::abort();
  return 0;
}
