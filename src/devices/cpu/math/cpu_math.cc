#include "devices/cpu/math/cpu_math.h"

#include "devices/cpu/math/kernels.h"

#include <cblas.h>

namespace linerate {
namespace {

class CpuMath final : public Math {
 public:
  explicit CpuMath(const CpuMathOptions& options)
      : gemm_(options.fixed_blocks ? cpu::gemm_in_fixed_blocks : cpu::gemm) {}

  void gemm(const Gemm& what, Stream& stream) override {
    stream.run([=, run = gemm_] { run(what); });
  }
  void add_bias(Array y, Array bias, std::size_t rows, std::size_t columns,
                Stream& stream) override {
    stream.run([=] { cpu::add_bias(y, bias, rows, columns); });
  }
  void bias_backward(Array bias_gradient, Array dy, std::size_t rows, std::size_t columns,
                     Stream& stream) override {
    stream.run([=] { cpu::bias_backward(bias_gradient, dy, rows, columns); });
  }

  void norm_forward(const Norm& what, Array y, Stream& stream) override {
    stream.run([=] { cpu::norm_forward(what, y); });
  }
  void norm_backward(const Norm& what, Array dy, Array dx, Array weight_gradient,
                     Array bias_gradient, Stream& stream) override {
    const cpu::NormGradients gradients{dx, weight_gradient, bias_gradient};
    stream.run([=] { cpu::norm_backward(what, dy, gradients); });
  }

  void gelu_forward(Array y, Array x, std::size_t count, Stream& stream) override {
    stream.run([=] { cpu::gelu_forward(y, x, count); });
  }
  void gelu_backward(Array dx, Array dy, Array x, std::size_t count, Stream& stream) override {
    stream.run([=] { cpu::gelu_backward(dx, dy, x, count); });
  }
  void swiglu_forward(Array y, Array x, std::size_t rows, std::size_t columns,
                      Stream& stream) override {
    stream.run([=] { cpu::swiglu_forward(y, x, rows, columns); });
  }
  void swiglu_backward(Array dx, Array dy, Array x, std::size_t rows, std::size_t columns,
                       Stream& stream) override {
    stream.run([=] { cpu::swiglu_backward(dx, dy, x, {rows, columns}); });
  }

  void rope(const Attention& shape, Array x, std::size_t heads, bool inverse,
            Stream& stream) override {
    stream.run([=] { cpu::rope(shape, x, heads, inverse); });
  }
  void attention_forward(const Attention& what, Stream& stream) override {
    stream.run([=] { cpu::attention_forward(whole_block(what)); });
  }
  void attention_forward(const AttentionBlock& block, Stream& stream) override {
    stream.run([=] { cpu::attention_forward(block); });
  }
  void attention_backward(const Attention& what, Array dout, Array dq, Array dk, Array dv,
                          Stream& stream) override {
    const cpu::AttentionGradients gradients{dout, dq, dk, dv, false};
    stream.run([=] { cpu::attention_backward(whole_block(what), gradients); });
  }
  void attention_backward(const AttentionBlock& block, Array dout, Array dq, Array dk, Array dv,
                          Stream& stream) override {
    const cpu::AttentionGradients gradients{dout, dq, dk, dv};
    stream.run([=] { cpu::attention_backward(block, gradients); });
  }

  void embedding_forward(Array x, Array table, Array positions,
                         std::span<const std::int32_t> tokens, std::size_t length,
                         std::size_t columns, Stream& stream) override {
    const cpu::Embedding what{table, positions, x, tokens, length, columns};
    stream.run([=] { cpu::embedding_forward(what); });
  }
  void embedding_backward(Array table_gradient, Array positions_gradient, Array dx,
                          std::span<const std::int32_t> tokens, std::size_t length,
                          std::size_t columns, Stream& stream) override {
    const cpu::Embedding what{table_gradient, positions_gradient, dx, tokens, length, columns};
    stream.run([=] { cpu::embedding_backward(what); });
  }

  void cross_entropy(const CrossEntropy& what, double scale, Stream& stream) override {
    stream.run([=] { cpu::cross_entropy(what, scale); });
  }
  void largest_logits(const CrossEntropyPart& part, Stream& stream) override {
    stream.run([=] { cpu::largest_logits(part); });
  }
  void sum_exponentials(const CrossEntropyPart& part, Stream& stream) override {
    stream.run([=] { cpu::sum_exponentials(part); });
  }
  void cross_entropy_part(const CrossEntropyPart& part, double scale, Stream& stream) override {
    stream.run([=] { cpu::cross_entropy_part(part, scale); });
  }

  void add(Array out, Array a, Array b, std::size_t count, Stream& stream) override {
    stream.run([=] { cpu::add(out, a, b, count); });
  }
  void scale(Array x, double factor, std::size_t count, Stream& stream) override {
    stream.run([=] { cpu::scale(x, factor, count); });
  }
  void cast(Array to, Array from, std::size_t count, Stream& stream) override {
    stream.run([=] { cpu::cast(to, from, count); });
  }
  void copy_rows(const RowCopy& what, Stream& stream) override {
    stream.run([=] { cpu::copy_rows(what); });
  }
  void dropout(Array y, Array x, std::size_t count, double p, std::uint64_t key,
               std::uint64_t first, Stream& stream) override {
    const cpu::Dropout what{y, x, count, p, key, first};
    stream.run([=] { cpu::dropout(what); });
  }

  void take_top_k(const TopK& what, Stream& stream) override {
    stream.run([=] { cpu::take_top_k(what); });
  }
  void add_at(const TopK& what, Stream& stream) override {
    stream.run([=] { cpu::add_at(what); });
  }

  void adamw(const AdamW& what, Stream& stream) override {
    stream.run([=] { cpu::adamw(what); });
  }
  void square_sum(SquareSum* result, Array x, std::size_t count, Stream& stream) override {
    stream.run([=] { *result = cpu::square_sum(x, count); });
  }

 private:
  void (*const gemm_)(const Gemm&);
};

}  // namespace

std::unique_ptr<Math> make_cpu_math(const CpuMathOptions& options) {
  openblas_set_num_threads(options.threads);
  return std::make_unique<CpuMath>(options);
}

}  // namespace linerate
