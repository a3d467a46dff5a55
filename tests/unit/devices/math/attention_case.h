// The tensors of a call of attention.
#pragma once

#include "unit/devices/math/math_fixture.h"

#include <cstddef>

namespace linerate::math_test {

// q, k and v of a position lie side by side, as a model has them.
struct AttentionShape {
  std::size_t batch, length, heads, kv_heads, head;

  std::size_t stride() const { return (heads + 2 * kv_heads) * head; }
  std::size_t qkv_count() const { return batch * length * stride(); }
  std::size_t out_count() const { return batch * length * heads * head; }
};

// All that forward and backward read and write.
struct AttentionCase {
  AttentionCase(const AttentionShape& of, DataType type, const Values& values,
                std::size_t shift = 0)
      : shape(of),
        qkv(type, values, shift),
        out(type, Values(of.out_count()), shift),
        lse(wide_of(type), Values(of.batch * of.heads * of.length), shift),
        dqkv(type, Values(of.qkv_count(), 7), shift) {}

  Attention attention() {
    const Array q = qkv.array();
    return {.batch = shape.batch,
            .length = shape.length,
            .heads = shape.heads,
            .kv_heads = shape.kv_heads,
            .head = shape.head,
            .stride = shape.stride(),
            .q = q,
            .k = q.from(shape.heads * shape.head),
            .v = q.from((shape.heads + shape.kv_heads) * shape.head),
            .o = out.array(),
            .lse = lse.array()};
  }
  void backward(Fixture& on, Tensor& dout) {
    const Array dq = dqkv.array();
    on.math().attention_backward(attention(), dout.array(), dq, dq.from(shape.heads * shape.head),
                                 dq.from((shape.heads + shape.kv_heads) * shape.head), on.stream());
  }

  AttentionShape shape;
  Tensor qkv, out, lse, dqkv;
};

}  // namespace linerate::math_test
