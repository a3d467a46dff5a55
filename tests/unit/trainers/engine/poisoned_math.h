// Math of which one call of one rank yields an infinite gradient.
#pragma once

#include "comm/math.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

namespace linerate::trainers {

inline void make_infinite(Array element) {
  constexpr std::uint16_t kHalf = 0x7c00, kBfloat16 = 0x7f80;
  constexpr float kFloat = std::numeric_limits<float>::infinity();
  constexpr double kDouble = std::numeric_limits<double>::infinity();
  const auto write = [&](const auto& bits) { std::memcpy(element.data, &bits, sizeof(bits)); };
  if (element.type == DataType::float16) write(kHalf);
  if (element.type == DataType::bfloat16) write(kBfloat16);
  if (element.type == DataType::float32) write(kFloat);
  if (element.type == DataType::float64) write(kDouble);
}

// Forwards all work. Of the `call`th backward of a sequence's embeddings, from 0, the first element
// of the gradient becomes infinite: one element of one shard.
class PoisonedMath final : public Math {
 public:
  PoisonedMath(std::unique_ptr<Math> inner, int call) : inner_(std::move(inner)), call_(call) {}

  void embedding_backward(Array table, Array positions, Array dx,
                          std::span<const std::int32_t> tokens, std::size_t length,
                          std::size_t columns, Stream& stream) override {
    inner_->embedding_backward(table, positions, dx, tokens, length, columns, stream);
    if (call_-- == 0) make_infinite(table);
  }

  void gemm(const Gemm& what, Stream& stream) override { inner_->gemm(what, stream); }
  void add_bias(Array y, Array bias, std::size_t rows, std::size_t columns,
                Stream& stream) override {
    inner_->add_bias(y, bias, rows, columns, stream);
  }
  void bias_backward(Array to, Array dy, std::size_t rows, std::size_t columns,
                     Stream& stream) override {
    inner_->bias_backward(to, dy, rows, columns, stream);
  }
  void norm_forward(const Norm& what, Array y, Stream& stream) override {
    inner_->norm_forward(what, y, stream);
  }
  void norm_backward(const Norm& what, Array dy, Array dx, Array weight, Array bias,
                     Stream& stream) override {
    inner_->norm_backward(what, dy, dx, weight, bias, stream);
  }
  void gelu_forward(Array y, Array x, std::size_t count, Stream& stream) override {
    inner_->gelu_forward(y, x, count, stream);
  }
  void gelu_backward(Array dx, Array dy, Array x, std::size_t count, Stream& stream) override {
    inner_->gelu_backward(dx, dy, x, count, stream);
  }
  void swiglu_forward(Array y, Array x, std::size_t rows, std::size_t columns,
                      Stream& stream) override {
    inner_->swiglu_forward(y, x, rows, columns, stream);
  }
  void swiglu_backward(Array dx, Array dy, Array x, std::size_t rows, std::size_t columns,
                       Stream& stream) override {
    inner_->swiglu_backward(dx, dy, x, rows, columns, stream);
  }
  void rope(const Attention& shape, Array x, std::size_t heads, bool inverse,
            Stream& stream) override {
    inner_->rope(shape, x, heads, inverse, stream);
  }
  void attention_forward(const Attention& what, Stream& stream) override {
    inner_->attention_forward(what, stream);
  }
  void attention_backward(const Attention& what, Array dout, Array dq, Array dk, Array dv,
                          Stream& stream) override {
    inner_->attention_backward(what, dout, dq, dk, dv, stream);
  }
  void attention_forward(const AttentionBlock& block, Stream& stream) override {
    inner_->attention_forward(block, stream);
  }
  void attention_backward(const AttentionBlock& block, Array dout, Array dq, Array dk, Array dv,
                          Stream& stream) override {
    inner_->attention_backward(block, dout, dq, dk, dv, stream);
  }
  void embedding_forward(Array x, Array table, Array positions,
                         std::span<const std::int32_t> tokens, std::size_t length,
                         std::size_t columns, Stream& stream) override {
    inner_->embedding_forward(x, table, positions, tokens, length, columns, stream);
  }
  void cross_entropy(const CrossEntropy& what, double scale, Stream& stream) override {
    inner_->cross_entropy(what, scale, stream);
  }
  void largest_logits(const CrossEntropyPart& part, Stream& stream) override {
    inner_->largest_logits(part, stream);
  }
  void sum_exponentials(const CrossEntropyPart& part, Stream& stream) override {
    inner_->sum_exponentials(part, stream);
  }
  void cross_entropy_part(const CrossEntropyPart& part, double scale, Stream& stream) override {
    inner_->cross_entropy_part(part, scale, stream);
  }
  void add(Array out, Array a, Array b, std::size_t count, Stream& stream) override {
    inner_->add(out, a, b, count, stream);
  }
  void scale(Array x, double factor, std::size_t count, Stream& stream) override {
    inner_->scale(x, factor, count, stream);
  }
  void cast(Array to, Array from, std::size_t count, Stream& stream) override {
    inner_->cast(to, from, count, stream);
  }
  void copy_rows(const RowCopy& what, Stream& stream) override { inner_->copy_rows(what, stream); }
  void dropout(Array y, Array x, std::size_t count, double p, std::uint64_t key,
               std::uint64_t first, Stream& stream) override {
    inner_->dropout(y, x, count, p, key, first, stream);
  }
  void take_top_k(const TopK& what, Stream& stream) override { inner_->take_top_k(what, stream); }
  void add_at(const TopK& what, Stream& stream) override { inner_->add_at(what, stream); }
  void adamw(const AdamW& what, Stream& stream) override { inner_->adamw(what, stream); }
  void square_sum(SquareSum* result, Array x, std::size_t count, Stream& stream) override {
    inner_->square_sum(result, x, count, stream);
  }

 private:
  const std::unique_ptr<Math> inner_;
  int call_;
};

}  // namespace linerate::trainers
