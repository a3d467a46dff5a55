#include "trainers/engine/peak.h"

#include <algorithm>
#include <cstdint>

namespace linerate::trainers {
namespace {

constexpr std::size_t kSide = 768;  // long enough for OpenBLAS's best, and 20 ms of a slow core
constexpr int kProducts = 8;

}  // namespace

double measured_peak_flops(DataType type, Math& math, Arena& arena, Stream& stream,
                           const Clock& clock) {
  const auto matrices = arena.allocate(Category::activation, type, 3 * kSide * kSide);
  arena.device().zero(matrices.view(), stream);
  const auto matrix = [&](std::size_t index) {
    return matrices.array(type).from(index * kSide * kSide);
  };
  double best = 0;
  for (int i = 0; i < kProducts; ++i) {
    stream.synchronize(Deadline::never());
    const auto start_ns = clock.now_ns();
    math.gemm({.m = kSide,
               .n = kSide,
               .k = kSide,
               .a = matrix(0),
               .b = matrix(1),
               .c = matrix(2),
               .lda = kSide,
               .ldb = kSide,
               .ldc = kSide},
              stream);
    stream.synchronize(Deadline::never());
    const auto took_ns = std::max<std::int64_t>(1, clock.now_ns() - start_ns);
    best = std::max(best, 2.0 * kSide * kSide * kSide / static_cast<double>(took_ns) * 1e9);
  }
  return best;
}

}  // namespace linerate::trainers
