#include "model/tensor_parallel.h"

#include "model/training_bytes.h"

#include <algorithm>

namespace linerate {
namespace {

// Of a sum of `count` elements, of which each rank has `terms`: to who adds it up, and back.
std::uint64_t sum_sends(std::uint64_t count, std::uint64_t nranks, std::uint64_t terms) {
  return terms * reduce_scatter_sends(count, nranks) + all_gather_sends(count, nranks);
}

}  // namespace

// A block has two results and two gradients that are added up. Where rows are split, the inputs of
// two products are gathered forward, and of all four backward, with their results' gradients; in
// canonical mode what gradients of norms are summed up of, too.
TensorBytes tensor_bytes(const TensorLayout& layout) {
  const std::uint64_t again = layout.repeats_forward ? 1 : 0;
  const std::uint64_t embeds = layout.embeds ? 1 : 0, heads = layout.heads ? 1 : 0;
  const auto terms = std::max<std::uint64_t>(layout.terms, 1);
  const auto count = layout.rows * layout.hidden;
  const auto whole = [&](std::uint64_t of) {
    const auto sends = of * reduce_scatter_sends(count, layout.nranks);
    return layout.element *
           (layout.splits_rows ? sends : sends + all_gather_sends(count, layout.nranks));
  };
  TensorBytes bytes{.embedding = embeds * whole(1),
                    .forward = (2 + again) * layout.layers * whole(terms),
                    .backward = (2 * layout.layers + heads) * whole(terms),
                    .cross_entropy = heads * sizeof(double) *
                                     (sum_sends(layout.rows, layout.nranks, 1) +
                                      sum_sends(2 * layout.rows, layout.nranks, terms))};
  bytes.keys_and_values = layout.layers * layout.element *
                          sum_sends(layout.rows * layout.keys_and_values, layout.copies, 1);
  if (!layout.splits_rows) return bytes;
  const auto norms = 2 * layout.layers + heads;
  const auto of_norms = layout.terms > 0 ? 2 * norms : 0;
  bytes.rows = ((6 + 2 * again) * layout.layers + heads + embeds + of_norms) * layout.element *
               all_gather_sends(count, layout.nranks);
  if (layout.terms == 0)
    bytes.norm_weight =
        norms * layout.element * sum_sends(layout.norm_weights * layout.hidden, layout.nranks, 1);
  return bytes;
}

}  // namespace linerate
