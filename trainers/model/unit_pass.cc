#include "trainers/model/unit_pass.h"

#include "base/splitmix.h"

#include <fmt/format.h>

#include <cassert>

namespace linerate::trainers {
namespace {

// Of a product the part that adds up over `count` elements from `begin` on.
Gemm part_of(Gemm product, std::size_t begin, std::size_t count) {
  product.a = product.a.from(product.transpose_a ? begin * product.lda : begin);
  product.b = product.b.from(product.transpose_b ? begin : begin * product.ldb);
  product.k = count;
  return product;
}

}  // namespace

Layer layer_named(const ParameterTable& table, std::string_view name) {
  const auto weight = table.index_of(fmt::format("{}.weight", name));
  assert(weight);
  return {.weight = *weight, .bias = table.index_of(fmt::format("{}.bias", name))};
}

void UnitPass::sum_products(const Gemm& product, std::span<const Parameter::Piece> joined,
                            TensorSum what) const {
  const auto& share = tensor.share();
  const auto term = [&](std::size_t leaf, Array to) {
    auto own = product;
    own.c = to;
    if (!share.in_order || share.whole()) return math.gemm(own, stream);
    std::size_t before = 0;
    for (const auto& piece : joined) {
      const auto all = share.all(piece.whole), part = share.leaf(piece.whole, leaf);
      math.gemm(part_of(own, before + part.offset - all.offset, part.count), stream);
      before += piece.count;
      own.accumulates = true;
    }
  };
  tensor.sum(product.c, product.m * product.n, what, term, stream);
}

void UnitPass::project(const Layer& layer, Array y, Array x) const {
  const auto& weight = table.parameters[layer.weight];
  const auto out = weight.shape[0], in = weight.shape[1];
  const Gemm product{.m = rows(),
                     .n = out,
                     .k = in,
                     .a = x,
                     .b = parameter(layer.weight),
                     .c = y,
                     .transpose_b = true,
                     .lda = in,
                     .ldb = in,
                     .ldc = out};
  if (weight.is_cut_along(1))
    sum_products(product, weight.pieces, TensorSum::forward);
  else
    math.gemm(product, stream);
  if (layer.bias) math.add_bias(y, parameter(*layer.bias), rows(), out, stream);
}

void UnitPass::project_backward(const Layer& layer, Array dy, Array x, Array dx) const {
  const auto& weight = table.parameters[layer.weight];
  const auto out = weight.shape[0], in = weight.shape[1];
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
  const Gemm product{.m = rows(),
                     .n = in,
                     .k = out,
                     .a = dy,
                     .b = parameter(layer.weight),
                     .c = dx,
                     .lda = out,
                     .ldb = in,
                     .ldc = in};
  if (weight.is_cut_along(0))
    sum_products(product, weight.pieces, TensorSum::backward);
  else
    math.gemm(product, stream);
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
