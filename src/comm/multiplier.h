// Products of square matrices, which keep a device's arithmetic units busy: all the arithmetic that
// a benchmark needs of a device. What a transformer computes is Math.
#pragma once

#include "comm/data_type.h"
#include "comm/stream.h"

#include <cstddef>

namespace linerate {

// C = A B of matrices with `n` rows and columns, row after row, in memory of the device. They do
// not overlap.
struct SquareProduct {
  static constexpr std::size_t kMultiple = 8;  // n is one

  std::size_t n = 0;
  const std::byte* a = nullptr;
  const std::byte* b = nullptr;
  std::byte* c = nullptr;
};

// Used by the thread of the rank that owns the device.
class Multiplier {
 public:
  virtual ~Multiplier() = default;

  // Of all elements; sums are float32.
  virtual DataType type() const = 0;
  // n of products that take some milliseconds at most, and much longer than to enqueue one.
  virtual std::size_t usual_n() const = 0;
  // Enqueues a product. The matrices stay valid until it is done.
  virtual void multiply(const SquareProduct& what, Stream& stream) = 0;
};

}  // namespace linerate
