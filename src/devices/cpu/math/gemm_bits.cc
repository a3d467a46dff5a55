// Computes each product in several ways.
#include "base/splitmix.h"
#include "devices/cpu/math/cpu_math.h"
#include "devices/cpu/math/kernels.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace linerate {
namespace {

// Where matrices lie: elements behind a multiple of a cache line, and at the end of each row.
struct Layout {
  std::size_t shift = 0, padding = 0;
};

// Random elements of a matrix, the same for every layout.
class Matrix {
 public:
  Matrix(std::size_t rows, std::size_t columns, DataType type, const Layout& layout)
      : rows_(rows),
        columns_(columns),
        stride_(columns + layout.padding),
        storage_(kAlignment + (layout.shift + rows * stride_) * bytes_of(type)) {
    void* begin = storage_.data();
    std::size_t space = storage_.size();
    std::align(kAlignment, storage_.size() - kAlignment, begin, space);
    array_ = Array{static_cast<std::byte*>(begin), type}.from(layout.shift);
  }
  void fill(std::uint64_t seed) const {
    std::vector<float> row(columns_);
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::size_t c = 0; c < columns_; ++c)
        row[c] = static_cast<float>(splitmix64(seed + r * columns_ + c) >> 40) * 0x1p-23f - 1;
      cpu::cast(array_.from(r * stride_),
                {reinterpret_cast<std::byte*>(row.data()), DataType::float32}, columns_);
    }
  }
  bool operator==(const Matrix& other) const {
    for (std::size_t r = 0; r < rows_; ++r)
      if (std::memcmp(array_.from(r * stride_).data, other.array_.from(r * other.stride_).data,
                      columns_ * bytes_of(array_.type)) != 0)
        return false;
    return true;
  }
  Array array() const { return array_; }
  std::size_t stride() const { return stride_; }

 private:
  static constexpr std::size_t kAlignment = 64;
  std::size_t rows_, columns_, stride_;
  std::vector<std::byte> storage_;
  Array array_;
};

constexpr std::uint64_t kSeedOfA = 1, kSeedOfB = 1ull << 40, kSeedOfC = 1ull << 41;

struct Parts {
  std::size_t m = 1, n = 1;
};

// C, computed in parts of m or of n.
Matrix result(const std::function<void(const Gemm&)>& gemm, const Gemm& p, const Layout& layout,
              const Parts& parts) {
  const DataType type = p.c.type;
  const Matrix a(p.transpose_a ? p.k : p.m, p.transpose_a ? p.m : p.k, type, layout);
  const Matrix b(p.transpose_b ? p.n : p.k, p.transpose_b ? p.k : p.n, type, layout);
  Matrix c(p.m, p.n, type, layout);
  a.fill(kSeedOfA);
  b.fill(kSeedOfB);
  c.fill(kSeedOfC);
  for (std::size_t part = 0; part < parts.m * parts.n; ++part) {
    const std::size_t row = part / parts.n, column = part % parts.n;
    const std::size_t i = p.m * row / parts.m, j = p.n * column / parts.n;
    Gemm piece = p;
    piece.m = p.m * (row + 1) / parts.m - i;
    piece.n = p.n * (column + 1) / parts.n - j;
    piece.a = a.array().from(p.transpose_a ? i : i * a.stride());
    piece.b = b.array().from(p.transpose_b ? j * b.stride() : j);
    piece.c = c.array().from(i * c.stride() + j);
    piece.lda = a.stride();
    piece.ldb = b.stride();
    piece.ldc = c.stride();
    if (piece.m > 0 && piece.n > 0) gemm(piece);
  }
  return c;
}

}  // namespace

bool gemm_bits_are_stable(const std::function<void(const Gemm&)>& gemm,
                          std::span<const Gemm> products, std::size_t parts) {
  return std::ranges::all_of(products, [&](const Gemm& product) {
    const Matrix expected = result(gemm, product, {}, {});
    return result(gemm, product, {.shift = 1, .padding = 3}, {}) == expected &&
           result(gemm, product, {.shift = 5, .padding = 16}, {}) == expected &&
           result(gemm, product, {}, {.m = 2}) == expected &&
           result(gemm, product, {}, {.n = 2}) == expected &&
           result(gemm, product, {}, {.m = parts}) == expected &&
           result(gemm, product, {}, {.n = parts}) == expected &&
           result(gemm, product, {}, {.m = parts, .n = parts}) == expected;
  });
}

}  // namespace linerate
