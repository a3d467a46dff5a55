#include "trainers/model/unit_pass.h"

#include "base/splitmix.h"

#include <fmt/format.h>

#include <cassert>

namespace linerate::trainers {

Layer layer_named(const ParameterTable& table, std::string_view name) {
  const auto weight = table.index_of(fmt::format("{}.weight", name));
  assert(weight);
  return {.weight = *weight, .bias = table.index_of(fmt::format("{}.bias", name))};
}

void UnitPass::project(const Layer& layer, Array y, Array x) const {
  const auto& shape = table.parameters[layer.weight].shape;
  const auto out = shape[0];
  const auto in = shape[1];
  math.gemm({.m = rows(),
             .n = out,
             .k = in,
             .a = x,
             .b = parameter(layer.weight),
             .c = y,
             .transpose_b = true,
             .lda = in,
             .ldb = in,
             .ldc = out},
            stream);
  if (layer.bias) math.add_bias(y, parameter(*layer.bias), rows(), out, stream);
}

void UnitPass::project_backward(const Layer& layer, Array dy, Array x, Array dx) const {
  const auto& shape = table.parameters[layer.weight].shape;
  const auto out = shape[0];
  const auto in = shape[1];
  if (layer.bias) {
    math.bias_backward(gradient(*layer.bias), dy, rows(), out, stream);
    finish(*layer.bias);
  }
  math.gemm({.m = out,
             .n = in,
             .k = rows(),
             .a = dy,
             .b = x,
             .c = gradient(layer.weight),
             .transpose_a = true,
             .lda = out,
             .ldb = in,
             .ldc = in,
             .accumulates = true},
            stream);
  finish(layer.weight);
  math.gemm({.m = rows(),
             .n = in,
             .k = out,
             .a = dy,
             .b = parameter(layer.weight),
             .c = dx,
             .lda = out,
             .ldb = in,
             .ldc = in},
            stream);
}

Norm UnitPass::norm_of(const Layer& layer, const NormTensors& norm, Array x) const {
  return {.kind = config.norm(),
          .rows = rows(),
          .columns = config.hidden,
          .x = x,
          .weight = parameter(layer.weight),
          .bias = layer.bias ? parameter(*layer.bias) : Array{},
          .mean = norm.mean,
          .rstd = norm.rstd};
}

void UnitPass::normalise(const Layer& layer, const NormTensors& norm, Array x) const {
  math.norm_forward(norm_of(layer, norm, x), norm.y, stream);
}

void UnitPass::normalise_backward(const Layer& layer, const NormTensors& norm, Array x,
                                  const Scratch& scratch) const {
  math.norm_backward(norm_of(layer, norm, x), scratch.dnarrow, scratch.dx, gradient(layer.weight),
                     layer.bias ? gradient(*layer.bias) : Array{}, stream);
  if (layer.bias) finish(*layer.bias);
  finish(layer.weight);
}

void UnitPass::drop(std::size_t which, Array y, Array x) const {
  if (config.dropout == 0) return;
  const auto key = splitmix64(splitmix64(batch.dropout_key) ^ which);
  math.dropout(y, x, elements(), config.dropout, key, batch.first_position * config.hidden, stream);
}

}  // namespace linerate::trainers
