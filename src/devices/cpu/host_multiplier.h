// Products of matrices that need no library: they keep a core's vector units busy, at less than the
// speed of a BLAS.
#pragma once

#include "comm/multiplier.h"

namespace linerate {

// On the thread that does the stream's work, by the widest vectors that its core has.
class HostMultiplier final : public Multiplier {
 public:
  DataType type() const override { return DataType::float32; }
  std::size_t usual_n() const override { return 512; }
  void multiply(const SquareProduct& what, Stream& stream) override;
};

}  // namespace linerate
