#include "trainers/model/unit_pass.h"

#include "base/splitmix.h"
#include "trainers/parallel/injected.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

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
  if (share.splits_rows)
    return tensor.sum_scattered(product.c, product.m * product.n, what, term, stream);
  tensor.sum(product.c, product.m * product.n, what, term, stream);
}

void UnitPass::accumulate(const Layer& layer, const AddRows& add) const {
  if (later != nullptr) {
    later->adds.emplace_back(layer, add);
    return;
  }
  const auto& weight = table.parameters[layer.weight];
  const auto bias = layer.bias ? table.parameters[*layer.bias].count() : 0;
  assert(bias == 0 || table.parameters[*layer.bias].offset == weight.offset + weight.count());
  if (sequence.leaves == 1) {
    const auto to = gradients.from(weight.offset);
    add({0, rows()}, to, bias > 0 ? to.from(weight.count()) : Array{});
  } else {
    for (std::size_t chunk = 0; chunk < sequence.split.chunks_of_rank(); ++chunk)
      accumulate_chunk(chunk, {weight.offset, weight.count() + bias}, add, bias);
  }
  if (layer.bias) finish(*layer.bias);
  finish(layer.weight);
}

void UnitPass::accumulate_chunk(std::size_t chunk, Range parameters_of_layer, const AddRows& add,
                                std::size_t bias) const {
  const auto& split = sequence.split;
  const bool at_once = injected(Bug::takes_a_chunk_for_a_leaf) && split.ranks > 1;
  const auto leaves = at_once ? 1 : sequence.leaves_of_chunk();
  const auto count = parameters_of_layer.count, leaf_length = split.chunk_length() / leaves;
  const auto type = gradients.type;
  TreeSum sum(leaves, count, type);
  for (std::size_t leaf = 0; leaf < leaves; ++leaf) {
    auto block = arena.allocate(Category::comm, type, count);
    arena.device().zero(block.view(), stream);
    const auto to = block.array(type);
    const auto first = chunk * split.chunk_length() + leaf * leaf_length;
    for (std::size_t s = 0; s < batch.sequences; ++s)
      add({s * config.length + first, leaf_length}, to, bias > 0 ? to.from(count - bias) : Array{});
    sum.add({0, leaf}, std::move(block), math, stream);
  }
  const auto to = (chunk == 0 ? gradients : second).from(parameters_of_layer.offset);
  arena.device().copy(view_of(to, count), sum.take().view(), stream);
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
  const auto of_y = weight.is_cut_along(1) ? own_rows() : rows();
  if (layer.bias) math.add_bias(y, parameter(*layer.bias), of_y, out, stream);
}

void UnitPass::project_backward(const Layer& layer, Array dy, Array x, Array dx) const {
  const auto& weight = table.parameters[layer.weight];
  const auto out = weight.shape[0], in = weight.shape[1];
  const auto add = [pass = *this, out, in, dy, x](Range of, Array weight_gradient,
                                                  Array bias_gradient) {
    const auto dy_rows = dy.from(of.offset * out);
    if (bias_gradient) pass.math.bias_backward(bias_gradient, dy_rows, of.count, out, pass.stream);
    pass.math.gemm({.m = out,
                    .n = in,
                    .k = of.count,
                    .a = dy_rows,
                    .b = x.from(of.offset * in),
                    .c = weight_gradient,
                    .transpose_a = true,
                    .lda = out,
                    .ldb = in,
                    .ldc = in,
                    .accumulates = true},
                   pass.stream);
  };
  // Of copies each rank has a part of the gradient, which the input's adds up as it is.
  if (weight.copied_rows == 0) accumulate(layer, add);
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
  if (weight.copied_rows == 0) return;
  if (!injected(Bug::keys_and_values_of_own_queries)) add_up_copies(dy, out, weight.copied_rows);
  accumulate(layer, add);
}

void UnitPass::add_up_copies(Array dy, std::size_t stride, std::size_t columns) const {
  const auto memory = arena.allocate(Category::comm, dy.type, rows() * columns);
  const RowCopy packed{.rows = rows(),
                       .columns = columns,
                       .to = memory.array(dy.type),
                       .from = dy.from(stride - columns),
                       .to_stride = columns,
                       .from_stride = stride};
  math.copy_rows(packed, stream);
  tensor.sum_over_copies(packed.to, rows() * columns, stream);
  math.copy_rows({.rows = rows(),
                  .columns = columns,
                  .to = packed.from,
                  .from = packed.to,
                  .to_stride = stride,
                  .from_stride = columns},
                 stream);
}

Norm UnitPass::norm_of(const Layer& layer, const NormTensors& norm, Array x, Range of) const {
  return {.kind = config.norm(),
          .rows = of.count,
          .columns = config.hidden,
          .x = x.from(of.offset * config.hidden),
          .weight = parameter(layer.weight),
          .bias = layer.bias ? parameter(*layer.bias) : Array{},
          .mean = norm.mean ? norm.mean.from(of.offset) : Array{},
          .rstd = norm.rstd.from(of.offset)};
}

void UnitPass::normalise(const Layer& layer, const NormTensors& norm, Array x) const {
  math.norm_forward(norm_of(layer, norm, x, {0, own_rows()}), norm.y, stream);
}

void UnitPass::normalise_backward(const Layer& layer, const NormTensors& norm, Array x,
                                  const Scratch& scratch) const {
  if (tensor.share().splits_rows) return normalise_own_rows_backward(layer, norm, x, scratch);
  if (later != nullptr) {
    const auto unused = arena.allocate(Category::comm, x.type, 2 * config.hidden);
    arena.device().zero(unused.view(), stream);
    const auto to = unused.array(x.type);
    math.norm_backward(norm_of(layer, norm, x, {0, rows()}), scratch.dnarrow, scratch.dx, to,
                       layer.bias ? to.from(config.hidden) : Array{}, stream);
  }
  const auto add = [pass = *this, layer, norm, x, dy = scratch.dnarrow, dx = scratch.dx](
                       Range of, Array weight_gradient, Array bias_gradient) {
    const auto first = of.offset * pass.config.hidden;
    auto what = pass.norm_of(layer, norm, x, of);
    // Another dx comes out, which nobody reads: parameters may be gone.
    if (pass.later != nullptr) what.weight = what.bias = dx;
    pass.math.norm_backward(what, dy.from(first), dx.from(first), weight_gradient, bias_gradient,
                            pass.stream);
  };
  accumulate(layer, add);
}

// The gradients of a norm's parameters are sums over the rows of all ranks. In canonical mode each
// rank computes those of all rows, which it gathers.
void UnitPass::normalise_own_rows_backward(const Layer& layer, const NormTensors& norm, Array x,
                                           const Scratch& scratch) const {
  const auto& weight = table.parameters[layer.weight];
  const auto bias = layer.bias ? config.hidden : 0, count = config.hidden + bias;
  const auto type = x.type;
  const auto allocate = [&](DataType of, std::size_t elements_of) {
    return arena.allocate(Category::comm, of, elements_of);
  };
  const auto own = allocate(type, count);  // of this rank's rows
  arena.device().zero(own.view(), stream);
  math.norm_backward(norm_of(layer, norm, x, {0, own_rows()}), scratch.dnarrow, scratch.dx,
                     own.array(type), bias > 0 ? own.array(type).from(config.hidden) : Array{},
                     stream);
  if (!tensor.share().in_order) {
    if (!injected(Bug::norm_weights_of_own_rows))
      tensor.all_reduce(own.array(type), count, TensorSum::norm_weight, stream);
    const auto to = gradients.from(weight.offset);
    math.add(to, to, own.array(type), count, stream);
    if (layer.bias) finish(*layer.bias);
    return finish(layer.weight);
  }
  Block x_memory, dy_memory;
  const auto all_x = gathered(x, x_memory), dy = gathered(scratch.dnarrow, dy_memory);
  const auto all = rows() * config.hidden;
  const auto y = allocate(type, all), dx = allocate(type, all);
  const auto statistics = norm.rstd.type;
  const auto mean = allocate(statistics, rows()), rstd = allocate(statistics, rows());
  const NormTensors of_all{norm.mean ? mean.array(statistics) : Array{}, rstd.array(statistics),
                           y.array(type)};
  math.norm_forward(norm_of(layer, of_all, all_x, {0, rows()}), of_all.y, stream);
  arena.device().zero(dx.view(), stream);
  accumulate(layer, [&](Range of, Array weight_gradient, Array bias_gradient) {
    const auto first = of.offset * config.hidden;
    math.norm_backward(norm_of(layer, of_all, all_x, of), dy.from(first),
                       dx.array(type).from(first), weight_gradient, bias_gradient, stream);
  });
}

Array UnitPass::gathered(Array own, Block& memory) const {
  if (!tensor.share().splits_rows) return own;
  const auto count = rows() * config.hidden;
  memory = arena.allocate(Category::comm, own.type, count);
  tensor.gather(memory.array(own.type), own, count, stream);
  return memory.array(own.type);
}

void UnitPass::drop(std::size_t which, Array y, Array x) const {
  if (config.dropout == 0) return;
  const auto key = splitmix64(splitmix64(batch.dropout_key) ^ which);
  const auto parts = tensor.share().row_parts();
  const auto own = parts > 1 ? tensor.share().rank * own_rows() : 0;
  const auto begin = injected(Bug::drops_rows_of_the_first) ? 0 : own;
  each_run(sequence, {begin, own_rows()}, [&](const RowRun& run) {
    const auto first = (run.first - begin) * config.hidden;
    const auto in_sequence =
        injected(Bug::drops_within_rank) ? run.first % config.length : run.position;
    const auto position = batch.first_position + run.sequence * sequence.split.length + in_sequence;
    math.dropout(y.from(first), x.from(first), run.count * config.hidden, config.dropout, key,
                 position * config.hidden, stream);
  });
}

}  // namespace linerate::trainers
