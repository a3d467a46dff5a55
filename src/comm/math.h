// What a transformer computes, on a device: the second interface of a device, beside Device.
//
// Every function enqueues its work on a stream, as Device::copy does: on an inline host stream it
// is done on return. Memory is the device's; views stay valid until the work is done.
//
// Elements are float32, float64, bfloat16 or float16, one type for all tensors of a call unless a
// function says otherwise. 16-bit elements are computed as float32 and rounded once, when they are
// written. Matrices are row-major. "Accumulates" means that a result is added to what is there.
// Each result is a pure function of its inputs: it does not depend on where they lie in memory, on
// other work, or on the number of ranks.
#pragma once

#include "comm/data_type.h"
#include "comm/stream.h"

#include <cstddef>
#include <cstdint>
#include <span>

namespace linerate {

// Elements in a device's memory that a call reads or writes: not owned. Its length is the
// function's matter.
struct Array {
  std::byte* data = nullptr;
  DataType type = DataType::float32;

  explicit operator bool() const { return data != nullptr; }
  // From element `index` on.
  Array from(std::size_t index) const { return {data + index * bytes_of(type), type}; }
};

// C[m, n] = A[m, k] B[k, n], plus C where it accumulates. With `transpose_a` A is held as [k, m],
// with `transpose_b` B as [n, k]. A row begins every `lda`, `ldb`, `ldc` elements.
struct Gemm {
  std::size_t m = 0, n = 0, k = 0;
  Array a{}, b{}, c{};
  bool transpose_a = false, transpose_b = false;
  std::size_t lda = 0, ldb = 0, ldc = 0;
  bool accumulates = false;
};

enum class NormKind : std::uint8_t { layer, rms };

// Normalises each of `rows` rows of `columns` elements: LayerNorm (Ba et al. 2016) with `weight`
// and `bias`, or RMSNorm (Zhang & Sennrich 2019) with `weight` alone. epsilon is 1e-5.
struct Norm {
  NormKind kind = NormKind::layer;
  std::size_t rows = 0, columns = 0;
  Array x{}, weight{}, bias{};
  Array mean{}, rstd{};  // a value per row, saved for backward; float32, or float64 with float64
};

// Causal attention with an online softmax, tile by tile: softmax(Q K^T / sqrt(head)) V for each of
// `batch` sequences of `length` positions. Query head i reads key and value head
// i * kv_heads / heads (grouped queries). A position of q begins every `stride` elements in q, k
// and v alike, one of o every heads * head elements; heads lie side by side within a position.
struct Attention {
  std::size_t batch = 0, length = 0, heads = 0, kv_heads = 0, head = 0, stride = 0;
  Array q{}, k{}, v{}, o{};
  Array
      lse{};  // [batch, heads, length]: log of the softmax's sum; float32, or float64 with float64
  // rope: those of a sequence's rows, in memory of the host; none: 0 to length - 1.
  std::span<const std::int32_t> positions{};
};

// Rows of each sequence that hold consecutive positions, of a tensor with `length` rows for each.
struct SequenceRows {
  std::size_t length = 0, first = 0, count = 0;
  std::size_t position = 0;  // of the first, in the whole sequence
};

inline constexpr std::size_t kAttentionTile = 64;  // keys that the online softmax takes at once

// A part of causal attention: what some queries take from some keys, of which each query sees those
// of positions up to its own. Queries go from block to block of keys, and between two blocks lie
// what they have so far: the largest score in lse, `sum` and `sums`. These three, dk and dv are
// float32, or float64 with float64; `sum` lies as lse, `sums` as o, and may be o.
// Blocks in the order of positions have the bits of one, where each but the last is a multiple of
// kAttentionTile of keys, or where both forwards have the same leaves and each border is one of
// these. REQUIRES: no query sees a key, or all see the first one.
struct AttentionBlock {
  Attention of{};          // its stride is that of q and dq; `length` and `positions` are not read
  SequenceRows queries{};  // rows of q, o, lse, dq
  SequenceRows keys{};     // rows of k, v, dk, dv
  std::size_t kv_stride = 0;  // between two positions of these
  std::size_t leaf = 0;       // forward: no tile goes beyond a multiple of this position; 0: any
  bool begins = true, ends = true;  // the first block of these queries, the last one
  Array sum{}, sums{};              // unused by a block that begins and ends; backward has no `sum`
};

// All of it.
inline AttentionBlock whole_block(const Attention& what) {
  const SequenceRows all{.length = what.length, .count = what.length};
  return {.of = what, .queries = all, .keys = all, .kv_stride = what.stride};
}

// A matrix's rows into those of another one, rounded where types differ.
struct RowCopy {
  std::size_t rows = 0, columns = 0;
  Array to{}, from{};
  std::size_t to_stride = 0, from_stride = 0;
};

// Loss of `rows` rows of logits over `vocabulary` classes against `targets`.
struct CrossEntropy {
  std::size_t rows = 0, vocabulary = 0, stride = 0;  // a row begins every `stride` elements
  Array logits{};
  const std::int32_t* targets = nullptr;  // device memory; negative: the row does not count
  double* losses = nullptr;               // [rows], natural logarithm; 0 where it does not count
  std::uint8_t* hits = nullptr;  // [rows], or none: 1 where no logit is larger than the target's
};

// Of every row a part of the classes, which several ranks or leaves of a sum share: [first, first +
// what.vocabulary). The loss over all classes takes three steps, between which the caller combines
// what was found of the parts: `most` by maximum, then `sum` and `own` by addition.
struct CrossEntropyPart {
  CrossEntropy what{};  // its targets count over all classes
  std::size_t first = 0;
  double *most = nullptr, *sum = nullptr, *own = nullptr;  // [rows] each; device memory
};

// One step of AdamW (Loshchilov & Hutter 2019) over `count` elements.
struct AdamW {
  std::size_t count = 0;
  Array master{};     // the parameters that are stepped: float32 or float64
  Array gradient{};   // any type
  Array m{}, v{};     // moments: the type of `master`
  Array parameter{};  // gets the stepped values, rounded; may be `master` itself
  double lr = 0, beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8, weight_decay = 0;
  double gradient_scale = 1;  // the gradient is multiplied by it first
  std::int64_t step = 1;      // from 1
};

// The `kept` elements of x that are largest by magnitude, NaN above all; of equal ones the first.
struct TopK {
  std::size_t count = 0, kept = 0;
  Array x{};
  Array values{};                   // [kept], in the order of their indices; the type of x
  std::int32_t* indices = nullptr;  // [kept]; device memory
};

// What a tensor's norm needs of it.
struct SquareSum {
  double sum = 0;      // of squares, rounded
  bool finite = true;  // no element is infinite or NaN
};

// Used by one thread at a time.
class Math {
 public:
  virtual ~Math() = default;

  virtual void gemm(const Gemm& what, Stream& stream) = 0;
  // y[r, c] += bias[c], and bias_gradient[c] += sum over r of dy[r, c], in the order of rows.
  virtual void add_bias(Array y, Array bias, std::size_t rows, std::size_t columns,
                        Stream& stream) = 0;
  virtual void bias_backward(Array bias_gradient, Array dy, std::size_t rows, std::size_t columns,
                             Stream& stream) = 0;

  virtual void norm_forward(const Norm& what, Array y, Stream& stream) = 0;
  // dx accumulates, and so do weight_gradient and bias_gradient (unused by rms).
  virtual void norm_backward(const Norm& what, Array dy, Array dx, Array weight_gradient,
                             Array bias_gradient, Stream& stream) = 0;

  // GELU by its tanh approximation (Hendrycks & Gimpel 2016), as GPT-2 has it. dx may be dy.
  virtual void gelu_forward(Array y, Array x, std::size_t count, Stream& stream) = 0;
  virtual void gelu_backward(Array dx, Array dy, Array x, std::size_t count, Stream& stream) = 0;
  // SwiGLU (Shazeer 2020): x holds rows of [gate | up], 2 * columns elements; y = silu(gate) * up.
  virtual void swiglu_forward(Array y, Array x, std::size_t rows, std::size_t columns,
                              Stream& stream) = 0;
  virtual void swiglu_backward(Array dx, Array dy, Array x, std::size_t rows, std::size_t columns,
                               Stream& stream) = 0;

  // Rotary position embedding (Su et al. 2021), pairs (i, i + head / 2), base 10000, in place, of
  // `heads` heads at each of `length` rows of `batch` sequences; `inverse` turns back, which is the
  // gradient. A row begins every `stride` elements.
  virtual void rope(const Attention& shape, Array x, std::size_t heads, bool inverse,
                    Stream& stream) = 0;

  virtual void attention_forward(const Attention& what, Stream& stream) = 0;
  // Writes dq, dk and dv, which lie as q, k and v do. `dout` lies as o.
  virtual void attention_backward(const Attention& what, Array dout, Array dq, Array dk, Array dv,
                                  Stream& stream) = 0;
  virtual void attention_forward(const AttentionBlock& block, Stream& stream) = 0;
  // Adds to dk and dv what it sums up of its queries. Writes dq when it ends.
  virtual void attention_backward(const AttentionBlock& block, Array dout, Array dq, Array dk,
                                  Array dv, Stream& stream) = 0;

  // x[r] = table[tokens[r]] (+ positions[r % length] where there are any), rows of `columns`. A
  // negative token has a row of zeros.
  virtual void embedding_forward(Array x, Array table, Array positions,
                                 std::span<const std::int32_t> tokens, std::size_t length,
                                 std::size_t columns, Stream& stream) = 0;
  // Accumulates into both gradients, row by row in their order; of a negative token into that of
  // the positions alone.
  virtual void embedding_backward(Array table_gradient, Array positions_gradient, Array dx,
                                  std::span<const std::int32_t> tokens, std::size_t length,
                                  std::size_t columns, Stream& stream) = 0;

  // Losses; logits become their gradient: (softmax - one hot) * scale, zeros where a row does not
  // count.
  virtual void cross_entropy(const CrossEntropy& what, double scale, Stream& stream) = 0;

  // most[r]: the largest logit of the part.
  virtual void largest_logits(const CrossEntropyPart& part, Stream& stream) = 0;
  // sum[r]: of exp(logit - most) over the part; own[r]: the target's logit, 0 where it is
  // elsewhere. `most` is that of all classes.
  virtual void sum_exponentials(const CrossEntropyPart& part, Stream& stream) = 0;
  // As cross_entropy() of the part's logits; all three are those of all classes.
  virtual void cross_entropy_part(const CrossEntropyPart& part, double scale, Stream& stream) = 0;

  // out = a + b; `out` may be either.
  virtual void add(Array out, Array a, Array b, std::size_t count, Stream& stream) = 0;
  // x *= factor.
  virtual void scale(Array x, double factor, std::size_t count, Stream& stream) = 0;
  // Between any two of the four types, rounding to nearest even.
  virtual void cast(Array to, Array from, std::size_t count, Stream& stream) = 0;
  virtual void copy_rows(const RowCopy& what, Stream& stream) = 0;
  // y = x * mask / (1 - p): an element is kept or not as a pure function of (key, first + index).
  // y may be x. Backward is the same call on the gradient.
  virtual void dropout(Array y, Array x, std::size_t count, double p, std::uint64_t key,
                       std::uint64_t first, Stream& stream) = 0;

  // Moves them out of x, which has zeros there afterwards. REQUIRES: kept <= count <= 2^31 - 1.
  virtual void take_top_k(const TopK& what, Stream& stream) = 0;
  // x[indices[i]] += values[i]. REQUIRES: no index occurs twice.
  virtual void add_at(const TopK& what, Stream& stream) = 0;

  virtual void adamw(const AdamW& what, Stream& stream) = 0;
  // Into host memory that stays valid until the work is done. Any order of summation.
  virtual void square_sum(SquareSum* result, Array x, std::size_t count, Stream& stream) = 0;
};

}  // namespace linerate
