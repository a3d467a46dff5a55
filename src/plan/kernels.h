// What a layout computes on a rank, as calls of the device's Math (comm/math.h), and how long each
// takes by a model of the device.
#pragma once

#include "model/context_parallel.h"
#include "trainers/model/model.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace linerate::plan {

// Of a product m and n are rows and columns of the result and k what is added up over; of attention
// m is positions, n heads and k elements of a head, for one sequence; of all else there are m rows
// of n elements.
enum class KernelKind : std::uint8_t {
  product,         // y = x W^T
  product_input,   // dx = dy W
  product_weight,  // dW += dy^T x
  attention,
  attention_backward,
  norm,
  norm_backward,
  gelu,
  gelu_backward,
  swiglu,  // of twice as many elements
  swiglu_backward,
  rope,
  add,
  bias,
  bias_backward,
  loss,
  embedding,
  embedding_backward,
  adamw,
  square_sum,
};
inline constexpr std::string_view kKernelNames[] = {"product",
                                                    "product_input",
                                                    "product_weight",
                                                    "attention",
                                                    "attention_backward",
                                                    "norm",
                                                    "norm_backward",
                                                    "gelu",
                                                    "gelu_backward",
                                                    "swiglu",
                                                    "swiglu_backward",
                                                    "rope",
                                                    "add",
                                                    "bias",
                                                    "bias_backward",
                                                    "loss",
                                                    "embedding",
                                                    "embedding_backward",
                                                    "adamw",
                                                    "square_sum"};
std::string_view name_of(KernelKind kind);
std::optional<KernelKind> kernel_named(std::string_view name);

struct Kernel {
  KernelKind kind = KernelKind::add;
  std::size_t m = 1, n = 1, k = 1;

  auto operator<=>(const Kernel&) const = default;
};
// Multiplications and additions; 0 of what only passes over memory.
double flops_of(const Kernel& kernel);
// Elements that it reads and writes.
double elements_of(const Kernel& kernel);

struct TimedKernel {
  Kernel kernel{};
  double times = 1;  // a fraction where a rank has a part of it
};
using Kernels = std::vector<TimedKernel>;

// A device's speed.
class ComputeModel {
 public:
  virtual ~ComputeModel() = default;
  virtual double us(const Kernel& kernel) const = 0;

  double us(const Kernels& kernels) const {
    double sum = 0;
    for (const auto& one : kernels) sum += one.times * us(one.kernel);
    return sum;
  }
};

// Of a unit of the model and one micro-batch. Backward of inputs has what is computed again.
struct UnitWork {
  Kernels forward{}, backward_input{}, backward_weight{};
};

// A rank's share of the model, of `length` positions of each sequence.
struct WorkShape {
  const trainers::ModelConfig& share;
  std::size_t sequences = 1;
  std::size_t row_parts = 1;  // of sequence parallelism
  trainers::Recompute recompute = trainers::Recompute::none;
  SequenceSplit split{};  // of context parallelism
  bool exchanges_heads = false;
};
UnitWork block_work(const WorkShape& shape);
UnitWork embedding_work(const WorkShape& shape);
UnitWork head_work(const WorkShape& shape);
// Of elements whose gradients a rank has summed up, and of which it steps `owned`.
Kernels optimizer_work(std::size_t owned);

}  // namespace linerate::plan
