#include "trainers/parallel/whole_attention.h"

namespace linerate::trainers {

void whole_forward(const WholeTools& tools, const Attention& what, std::size_t leaf) {
  auto block = whole_block(what);
  block.leaf = leaf;
  tools.math.attention_forward(block, tools.compute);
}

// Leaves of queries in their order. dk and dv are summed up beside dq, in sum_type().
void whole_backward(const WholeTools& tools, const Attention& what, std::size_t leaf,
                    const AttentionSlopes& slopes) {
  if (leaf == 0)
    return tools.math.attention_backward(what, slopes.dout, slopes.dq, slopes.dk, slopes.dv,
                                         tools.compute);
  const auto keys = 2 * what.kv_heads * what.head;
  const auto rows = what.batch * what.length;
  const auto type = sum_type(slopes.dq.type);
  const auto memory = tools.arena.allocate(Category::comm, type, rows * what.stride);
  const auto sums = memory.array(type).from(what.heads * what.head);
  tools.arena.device().zero(memory.view(), tools.compute);
  for (std::size_t first = 0; first < what.length; first += leaf) {
    auto block = whole_block(what);
    block.queries.first = block.queries.position = first;
    block.queries.count = leaf;
    block.keys.count = first + leaf;
    tools.math.attention_backward(block, slopes.dout, slopes.dq, sums, sums.from(keys / 2),
                                  tools.compute);
  }
  tools.math.copy_rows({.rows = rows,
                        .columns = keys,
                        .to = slopes.dk,
                        .from = sums,
                        .to_stride = what.stride,
                        .from_stride = what.stride},
                       tools.compute);
}

}  // namespace linerate::trainers
