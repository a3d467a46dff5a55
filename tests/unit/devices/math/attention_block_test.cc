// Attention of some queries to some keys: blocks in the order of positions are one call, to the
// bit.
#include "unit/devices/math/attention_case.h"

#include <numeric>

namespace linerate::math_test {
namespace {

using Cuts = std::vector<std::size_t>;  // of positions, from 0 to the length

struct Blocks {
  Cuts queries, keys;
  std::size_t leaf = 0;
};

// What is carried from block to block, and gradients of keys and values, side by side.
struct Carried {
  explicit Carried(const AttentionShape& shape, DataType type)
      : sum(wide_of(type), Values(shape.batch * shape.heads * shape.length, 9)),
        sums(wide_of(type), Values(shape.out_count(), 9)),
        dkv(wide_of(type), Values(shape.qkv_count())) {}
  Tensor sum, sums, dkv;
};

template <typename Body>
void each_block(AttentionCase& at, Carried& carried, const Blocks& blocks, Body body) {
  for (std::size_t q = 0; q + 1 < blocks.queries.size(); ++q)
    for (std::size_t k = 0; k + 1 < blocks.keys.size(); ++k) {
      const auto rows = [&](const Cuts& cuts, std::size_t i) {
        return SequenceRows{at.shape.length, cuts[i], cuts[i + 1] - cuts[i], cuts[i]};
      };
      if (blocks.keys[k] >= blocks.queries[q + 1]) break;
      const bool last = k + 2 == blocks.keys.size() || blocks.keys[k + 1] >= blocks.queries[q + 1];
      body(AttentionBlock{.of = at.attention(),
                          .queries = rows(blocks.queries, q),
                          .keys = rows(blocks.keys, k),
                          .kv_stride = at.shape.stride(),
                          .leaf = blocks.leaf,
                          .begins = k == 0,
                          .ends = last,
                          .sum = carried.sum.array(),
                          .sums = carried.sums.array()});
    }
}

void run_blocks(AttentionCase& at, Carried& carried, const Blocks& blocks, Fixture& on,
                Tensor& dout) {
  const auto& shape = at.shape;
  each_block(at, carried, blocks,
             [&](const AttentionBlock& block) { on.math().attention_forward(block, on.stream()); });
  const Array dkv = carried.dkv.array();
  each_block(at, carried, blocks, [&](const AttentionBlock& block) {
    on.math().attention_backward(
        block, dout.array(), at.dqkv.array(), dkv.from(shape.heads * shape.head),
        dkv.from((shape.heads + shape.kv_heads) * shape.head), on.stream());
  });
}

// What belongs to queries, or to keys and values.
Values part_of(const AttentionShape& shape, const Values& qkv, bool queries) {
  Values part;
  for (std::size_t i = 0; i < qkv.size(); ++i)
    if ((i % shape.stride() < shape.heads * shape.head) == queries) part.push_back(qkv[i]);
  return part;
}

class EveryAttentionBlock : public EveryType {
 protected:
  void expect_bits_of_one_call(const AttentionShape& shape, const Blocks& one,
                               const Blocks& blocks) {
    const Values values = random_values(shape.qkv_count(), 1, 2);
    AttentionCase whole(shape, GetParam(), values), cut(shape, GetParam(), values);
    Carried of_whole(shape, GetParam()), of_cut(shape, GetParam());
    Tensor dout = random(shape.out_count(), 2);

    run_blocks(whole, of_whole, one, *this, dout);
    run_blocks(cut, of_cut, blocks, *this, dout);

    expect_same_bits(whole.out, cut.out);
    expect_same_bits(whole.lse, cut.lse);
    EXPECT_EQ(part_of(shape, whole.dqkv.values(), true), part_of(shape, cut.dqkv.values(), true));
    if (blocks.queries == one.queries) expect_same_bits(of_whole.dkv, of_cut.dkv);
    expect_close(of_cut.dkv, of_whole.dkv.values(), 4);
  }
};

TEST_P(EveryAttentionBlock, OfAllKeysIsTheWholeCall) {
  for (const AttentionShape& shape : {AttentionShape{2, 67, 4, 2, 20}, {1, 200, 4, 1, 64}}) {
    const Values values = random_values(shape.qkv_count(), 1);
    AttentionCase whole(shape, GetParam(), values), block(shape, GetParam(), values);
    Carried carried(shape, GetParam());
    Tensor dout = random(shape.out_count(), 2);

    math().attention_forward(whole.attention(), stream());
    whole.backward(*this, dout);
    run_blocks(block, carried, {{0, shape.length}, {0, shape.length}}, *this, dout);

    expect_same_bits(whole.out, block.out);
    expect_same_bits(whole.lse, block.lse);
    EXPECT_EQ(part_of(shape, whole.dqkv.values(), true), part_of(shape, block.dqkv.values(), true));
    const Tensor rounded(GetParam(), carried.dkv.values());
    EXPECT_EQ(part_of(shape, whole.dqkv.values(), false), part_of(shape, rounded.values(), false));
  }
}

TEST_P(EveryAttentionBlock, InOrderHasTheBitsOfOneCall) {
  const AttentionShape shape{2, 200, 4, 2, 20};

  expect_bits_of_one_call(shape, {{0, 200}, {0, 200}}, {{0, 200}, {0, 64, 128, 200}});
  expect_bits_of_one_call(shape, {{0, 200}, {0, 200}}, {{0, 200}, {0, 192, 200}});
}

TEST_P(EveryAttentionBlock, MayHaveAnyQueries) {
  const AttentionShape shape{2, 200, 4, 2, 20};

  expect_bits_of_one_call(shape, {{0, 200}, {0, 200}}, {{0, 1, 30, 77, 200}, {0, 200}});
  expect_bits_of_one_call(shape, {{0, 200}, {0, 200}}, {{0, 64, 128, 200}, {0, 64, 128, 200}});
}

TEST_P(EveryAttentionBlock, OfWholeLeavesHasTheBitsOfOneCall) {
  for (const std::size_t leaf : {10, 20, 50, 100}) {
    SCOPED_TRACE(leaf);
    Cuts cuts;
    for (std::size_t i = 0; i <= 200; i += leaf) cuts.push_back(i);
    expect_bits_of_one_call({1, 200, 2, 1, 16}, {{0, 200}, {0, 200}, leaf}, {cuts, cuts, leaf});
    expect_bits_of_one_call({1, 200, 2, 1, 16}, {{0, 200}, {0, 200}, leaf},
                            {{0, 100, 200}, {0, 100, 200}, leaf});
  }
}

TEST_P(EveryAttentionBlock, RopeTurnsRowsByThePositionsThatAreGiven) {
  constexpr std::size_t kStride = 3 * 6;
  Tensor all = random(100 * kStride, 1);
  const Values before = all.values();
  std::vector<std::int32_t> positions(20);
  std::iota(positions.begin(), positions.begin() + 10, 75);
  std::iota(positions.begin() + 10, positions.end(), 30);
  const auto rows_of = [&](const Values& sequence) {
    Values rows;
    for (const std::int32_t position : positions)
      for (std::size_t i = 0; i < kStride; ++i)
        rows.push_back(sequence[static_cast<std::size_t>(position) * kStride + i]);
    return rows;
  };
  Tensor some(GetParam(), rows_of(before));
  Attention of{.batch = 1, .length = 100, .heads = 3, .kv_heads = 3, .head = 6, .stride = kStride};

  math().rope(of, all.array(), 3, false, stream());
  of.length = positions.size();
  of.positions = positions;
  math().rope(of, some.array(), 3, false, stream());

  EXPECT_EQ(some.values(), rows_of(all.values()));
}

TEST_P(EveryAttentionBlock, CopiesRowsBetweenMatrices) {
  Tensor from = random(5 * 7, 1), to(DataType::float64, Values(5 * 11, 3));
  Values expected = to.values();
  for (std::size_t r = 0; r < 5; ++r)
    for (std::size_t c = 0; c < 4; ++c) expected[r * 11 + 2 + c] = from.values()[r * 7 + 3 + c];

  math().copy_rows({.rows = 5,
                    .columns = 4,
                    .to = to.array().from(2),
                    .from = from.array().from(3),
                    .to_stride = 11,
                    .from_stride = 7},
                   stream());

  EXPECT_EQ(to.values(), expected);
}

INSTANTIATE_TEST_SUITE_P(CpuMath, EveryAttentionBlock, kEveryType, type_name);

}  // namespace
}  // namespace linerate::math_test
