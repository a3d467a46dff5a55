// The calls that trainers/model makes of a unit, in its order: block.cc, ends.cc, unit_pass.cc.
#include "plan/kernels.h"

#include <algorithm>

namespace linerate::plan {
namespace {

using Kind = KernelKind;

// Pairs of a query and a key that it sees, of this rank, as a share of those of a whole sequence of
// which it has all heads.
double attention_share(const SequenceSplit& split) {
  if (split.ranks <= 1) return 1;
  const auto whole = split.length * (split.length + 1) / 2;
  std::uint64_t most = 0;
  for (std::size_t rank : {std::size_t{0}, split.ranks - 1})
    most = std::max(most, attention_pairs(split, rank));
  return static_cast<double>(most) / static_cast<double>(whole);
}

struct Shape {
  explicit Shape(const WorkShape& of)
      : rows(of.sequences * of.share.length), own(rows / of.row_parts), model(of.share), work(of) {}

  std::size_t rows, own;
  const trainers::ModelConfig& model;
  const WorkShape& work;

  bool has_biases() const { return !model.llama; }
  TimedKernel attention(Kind kind) const {
    const auto& split = work.split;
    const bool whole = split.ranks <= 1;
    const auto heads = work.exchanges_heads && !whole ? model.heads / split.ranks : model.heads;
    const double share = work.exchanges_heads ? 1 : attention_share(split);
    return {{kind, whole ? model.length : split.length, heads, model.head()},
            share * static_cast<double>(work.sequences)};
  }
};

// y = x W^T, and its backward; its bias is added to rows of the result.
void add_projection(const Shape& shape, std::size_t out, std::size_t in, std::size_t bias_rows,
                    UnitWork& work) {
  work.forward.push_back({{Kind::product, shape.rows, out, in}});
  if (shape.has_biases()) work.forward.push_back({{Kind::bias, bias_rows, out}});
  work.backward_input.push_back({{Kind::product_input, shape.rows, in, out}});
  work.backward_weight.push_back({{Kind::product_weight, out, in, shape.rows}});
  if (shape.has_biases()) work.backward_weight.push_back({{Kind::bias_backward, shape.rows, out}});
}

void add_norm(const Shape& shape, UnitWork& work) {
  work.forward.push_back({{Kind::norm, shape.own, shape.model.hidden}});
  work.backward_input.push_back({{Kind::norm_backward, shape.own, shape.model.hidden}});
}

void add_attention(const Shape& shape, UnitWork& work) {
  if (shape.model.llama) {
    const auto turned = shape.model.q_hidden() + shape.model.kv_hidden();
    work.forward.push_back({{Kind::rope, shape.rows, turned}});
    work.backward_input.push_back({{Kind::rope, shape.rows, turned}});
  }
  work.forward.push_back(shape.attention(Kind::attention));
  work.backward_input.push_back(shape.attention(Kind::attention_backward));
}

// What backward computes again: attention alone, or all of forward but its last product.
void add_recomputed(const Shape& shape, UnitWork& work) {
  using trainers::Recompute;
  if (shape.work.recompute == Recompute::selective)
    work.backward_input.push_back(shape.attention(Kind::attention));
  if (shape.work.recompute != Recompute::full) return;
  const Kernel last{Kind::product, shape.rows, shape.model.hidden, shape.model.mlp};
  for (const auto& one : work.forward)
    if (one.kernel != last) work.backward_input.push_back(one);
}

}  // namespace

std::string_view name_of(KernelKind kind) { return kKernelNames[static_cast<std::size_t>(kind)]; }

std::optional<KernelKind> kernel_named(std::string_view name) {
  const auto found = std::ranges::find(kKernelNames, name);
  if (found == std::end(kKernelNames)) return std::nullopt;
  return static_cast<KernelKind>(found - std::begin(kKernelNames));
}

double flops_of(const Kernel& kernel) {
  const auto m = static_cast<double>(kernel.m), n = static_cast<double>(kernel.n),
             k = static_cast<double>(kernel.k);
  switch (kernel.kind) {
    case Kind::product:
    case Kind::product_input:
    case Kind::product_weight:
      return 2 * m * n * k;
    case Kind::attention:
      return 2 * m * (m + 1) * n * k;  // two products over the half that the mask leaves
    case Kind::attention_backward:
      return 5 * m * (m + 1) * n * k;  // five: one of them computes scores again
    default:
      return 0;
  }
}

double elements_of(const Kernel& kernel) {
  const auto m = static_cast<double>(kernel.m), n = static_cast<double>(kernel.n),
             k = static_cast<double>(kernel.k);
  switch (kernel.kind) {
    case Kind::product:
    case Kind::product_input:
    case Kind::product_weight:
      return m * n + m * k + n * k;
    case Kind::attention:
      return 4 * m * n * k;
    case Kind::attention_backward:
      return 8 * m * n * k;
    case Kind::add:
    case Kind::norm_backward:
    case Kind::gelu_backward:
    case Kind::swiglu:
    case Kind::embedding_backward:
    case Kind::loss:
      return 3 * m * n;
    case Kind::swiglu_backward:
      return 5 * m * n;
    case Kind::bias_backward:
    case Kind::square_sum:
      return m * n;
    case Kind::adamw:
      return 7 * m * n;
    default:
      return 2 * m * n;
  }
}

UnitWork block_work(const WorkShape& of) {
  const Shape shape(of);
  const auto& model = of.share;
  UnitWork work;
  add_norm(shape, work);
  add_projection(shape, model.qkv(), model.hidden, shape.rows, work);
  add_attention(shape, work);
  add_projection(shape, model.hidden, model.q_hidden(), shape.own, work);
  work.forward.push_back({{Kind::add, shape.own, model.hidden}});
  add_norm(shape, work);
  add_projection(shape, model.mlp_in(), model.hidden, shape.rows, work);
  work.forward.push_back({{model.llama ? Kind::swiglu : Kind::gelu, shape.rows, model.mlp}});
  work.backward_input.push_back(
      {{model.llama ? Kind::swiglu_backward : Kind::gelu_backward, shape.rows, model.mlp}});
  add_projection(shape, model.hidden, model.mlp, shape.own, work);
  work.forward.push_back({{Kind::add, shape.own, model.hidden}});
  add_recomputed(shape, work);
  return work;
}

UnitWork embedding_work(const WorkShape& of) {
  const Shape shape(of);
  return {.forward = {{{Kind::embedding, shape.rows, of.share.hidden}}},
          .backward_weight = {{{Kind::embedding_backward, shape.rows, of.share.hidden}}}};
}

UnitWork head_work(const WorkShape& of) {
  const Shape shape(of);
  const auto& model = of.share;
  UnitWork work;
  add_norm(shape, work);
  work.forward.push_back({{Kind::product, shape.rows, model.vocabulary, model.hidden}});
  work.backward_input.push_back({{Kind::loss, shape.rows, model.vocabulary}});
  work.backward_input.push_back(
      {{Kind::product_input, shape.rows, model.hidden, model.vocabulary}});
  work.backward_weight.push_back(
      {{Kind::product_weight, model.vocabulary, model.hidden, shape.rows}});
  return work;
}

Kernels optimizer_work(std::size_t owned) {
  return {{{Kind::square_sum, 1, owned}}, {{Kind::adamw, 1, owned}}};
}

}  // namespace linerate::plan
