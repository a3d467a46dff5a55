// Products by OpenBLAS; and by blocks of our own, which also widen and round 16-bit elements.
#include "comm/buffer.h"
#include "devices/cpu/math/elements.h"
#include "devices/cpu/math/kernels.h"
#include "devices/cpu/math/product.h"
#include "devices/cpu/math/vector.h"

#include <cblas.h>

#include <algorithm>
#include <array>

namespace linerate::cpu {
namespace {

int blas_size(std::size_t size) { return static_cast<int>(size); }

CBLAS_TRANSPOSE blas_transpose(bool transpose) { return transpose ? CblasTrans : CblasNoTrans; }

template <typename W>
void blas_gemm(const Gemm& what) {
  const W beta = what.accumulates ? W(1) : W(0);
  const auto gemm = [] {
    if constexpr (sizeof(W) == sizeof(float))
      return cblas_sgemm;
    else
      return cblas_dgemm;
  }();
  gemm(CblasRowMajor, blas_transpose(what.transpose_a), blas_transpose(what.transpose_b),
       blas_size(what.m), blas_size(what.n), blas_size(what.k), W(1), elements<W>(what.a),
       blas_size(what.lda), elements<W>(what.b), blas_size(what.ldb), beta, elements<W>(what.c),
       blas_size(what.ldc));
}

// Memory that a thread keeps for its next product: malloc would keep several times as much.
template <typename T>
class Kept {
 public:
  T* at_least(std::size_t count) {
    if (count > count_) {
      data_ = Scratch<T>(count);
      count_ = count;
    }
    return data_.data();
  }

 private:
  Scratch<T> data_{0};
  std::size_t count_ = 0;
};
// Local to a function: g++ 12 never destroys a thread's variable template.
template <typename T>
std::array<Kept<T>, 3>& kept() {
  thread_local std::array<Kept<T>, 3> memory;
  return memory;
}

// A block of B is held as panels of a few columns, each of which stays in the first-level cache
// while all rows of a block of A go past it.
template <typename T>
class BlockedGemm {
 public:
  explicit BlockedGemm(const Gemm& what)
      : what_(what),
        columns_(std::min(kColumns, padded(what.n, kPanel))),
        a_(kept<W>()[0].at_least(kRows * kDepth)),
        b_(kept<W>()[1].at_least(kDepth * columns_)),
        c_(kept<W>()[2].at_least(what.m * columns_)) {}

  void run() const {
    for (std::size_t j = 0; j < what_.n; j += kColumns) {
      const std::size_t columns = std::min(kColumns, what_.n - j);
      read_c(j, columns);
      for (std::size_t p = 0; p < what_.k; p += kDepth) {
        const Range depth{p, std::min(kDepth, what_.k - p)};
        pack_b(depth, {j, columns});
        for (std::size_t i = 0; i < what_.m; i += kRows)
          add_block({i, std::min(kRows, what_.m - i)}, depth);
      }
      write_c(j, columns);
    }
  }

 private:
  using W = Wide<T>;
  static constexpr std::size_t kPanel = 2 * kLine<W>;
  static constexpr std::size_t kRows = 128, kDepth = 256, kColumns = 8 * kPanel;

  // `rows` rows of `columns` elements, widened or rounded.
  template <typename To, typename From>
  static void copy(To* to, std::size_t to_stride, const From* from, std::size_t from_stride,
                   Rows shape) {
    vectorised([&]<typename Isa>(Isa) LINERATE_KERNEL {
      using S = Simd<W, Isa>;
      for (std::size_t r = 0; r < shape.rows; ++r)
        each_vector<S>(shape.columns, [&](std::size_t i, std::size_t lanes) LINERATE_KERNEL {
          S::store(to + r * to_stride + i, S::load(from + r * from_stride + i, lanes), lanes);
        });
    });
  }

  void read_c(std::size_t j, std::size_t columns) const {
    std::fill_n(c_, what_.m * columns_, W(0));
    if (what_.accumulates)
      copy(c_, columns_, elements<T>(what_.c) + j, what_.ldc, {what_.m, columns});
  }
  void write_c(std::size_t j, std::size_t columns) const {
    copy(elements<T>(what_.c) + j, what_.ldc, c_, columns_, {what_.m, columns});
  }

  void pack_b(Range depth, Range columns) const {
    std::fill_n(b_, kDepth * columns_, W(0));
    for (std::size_t j = 0; j < columns.count; j += kPanel) {
      const std::size_t width = std::min(kPanel, columns.count - j), first = columns.offset + j;
      W* const panel = b_ + j * kDepth;
      const T* const b = elements<T>(what_.b);
      if (!what_.transpose_b) {
        copy(panel, kPanel, b + depth.offset * what_.ldb + first, what_.ldb, {depth.count, width});
        continue;
      }
      for (std::size_t c = 0; c < width; ++c)
        for (std::size_t p = 0; p < depth.count; ++p)
          panel[p * kPanel + c] = static_cast<W>(b[(first + c) * what_.ldb + depth.offset + p]);
    }
  }

  void add_block(Range rows, Range depth) const {
    const T* const a = elements<T>(what_.a);
    if (what_.transpose_a)
      copy(a_, kRows, a + depth.offset * what_.lda + rows.offset, what_.lda,
           {depth.count, rows.count});
    else
      copy(a_, kDepth, a + rows.offset * what_.lda + depth.offset, what_.lda,
           {rows.count, depth.count});
    for (std::size_t j = 0; j < columns_; j += kPanel)
      multiply<W>({.m = rows.count,
                   .n = kPanel,
                   .k = depth.count,
                   .a = a_,
                   .a_row = what_.transpose_a ? 1 : kDepth,
                   .a_column = what_.transpose_a ? kRows : 1,
                   .b = b_ + j * kDepth,
                   .ldb = kPanel,
                   .c = c_ + rows.offset * columns_ + j,
                   .ldc = columns_,
                   .accumulates = true});
  }

  const Gemm& what_;
  std::size_t columns_;
  W *const a_, *const b_, *const c_;
};

}  // namespace

void gemm(const Gemm& what) {
  if (what.c.type == DataType::float32) return blas_gemm<float>(what);
  if (what.c.type == DataType::float64) return blas_gemm<double>(what);
  gemm_in_fixed_blocks(what);
}

void gemm_in_fixed_blocks(const Gemm& what) {
  with_float(what.c.type, [&]<typename T>() { BlockedGemm<T>(what).run(); });
}

}  // namespace linerate::cpu
