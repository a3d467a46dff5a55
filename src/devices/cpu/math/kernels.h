// The work of Math on the host, done on return. Arguments and results are those of comm/math.h.
#pragma once

#include "comm/math.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace linerate::cpu {

// By OpenBLAS; and by tiles of our own in a fixed order.
void gemm(const Gemm& what);
void gemm_in_fixed_blocks(const Gemm& what);

void add_bias(Array y, Array bias, std::size_t rows, std::size_t columns);
void bias_backward(Array bias_gradient, Array dy, std::size_t rows, std::size_t columns);

struct NormGradients {
  Array dx{}, weight{}, bias{};
};
void norm_forward(const Norm& what, Array y);
void norm_backward(const Norm& what, Array dy, const NormGradients& gradients);

void gelu_forward(Array y, Array x, std::size_t count);
void gelu_backward(Array dx, Array dy, Array x, std::size_t count);
void swiglu_forward(Array y, Array x, std::size_t rows, std::size_t columns);
// `rows` rows of `columns`.
struct Rows {
  std::size_t rows = 0, columns = 0;
};
void swiglu_backward(Array dx, Array dy, Array x, Rows shape);

void rope(const Attention& shape, Array x, std::size_t heads, bool inverse);

struct AttentionGradients {
  Array dout{}, dq{}, dk{}, dv{};
  bool adds = true;  // to dk and dv; else it writes them, in the type of k
};
void attention_forward(const AttentionBlock& block);
void attention_backward(const AttentionBlock& block, const AttentionGradients& gradients);

// Rows of `columns` elements, one for each token; positions repeat after `length` rows.
struct Embedding {
  Array table{}, positions{}, x{};
  std::span<const std::int32_t> tokens{};
  std::size_t length = 0, columns = 0;
};
void embedding_forward(const Embedding& what);
void embedding_backward(const Embedding& what);

void cross_entropy(const CrossEntropy& what, double scale);
void largest_logits(const CrossEntropyPart& part);
void sum_exponentials(const CrossEntropyPart& part);
void cross_entropy_part(const CrossEntropyPart& part, double scale);

void add(Array out, Array a, Array b, std::size_t count);
void scale(Array x, double factor, std::size_t count);
void cast(Array to, Array from, std::size_t count);
void copy_rows(const RowCopy& what);

struct Dropout {
  Array y{}, x{};
  std::size_t count = 0;
  double p = 0;
  std::uint64_t key = 0, first = 0;
};
void dropout(const Dropout& what);

void take_top_k(const TopK& what);
void add_at(const TopK& what);

void adamw(const AdamW& what);
SquareSum square_sum(Array x, std::size_t count);

}  // namespace linerate::cpu
