// What is sent are chunks, each [sequence][position][key | value]. Those of a rank lie side by
// side, and so do those of all ranks where they are gathered.
#include "trainers/parallel/ring_attention.h"

#include "trainers/parallel/injected.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>
#include <tuple>
#include <vector>

namespace linerate::trainers {
namespace {

class Ring {
 public:
  Ring(const ContextTools& tools, const Attention& mine, std::string_view purpose)
      : tools_(tools), split_(tools.split), mine_(mine), purpose_(purpose) {}

  void forward() {
    Block sums;
    if (sums_type() != type()) sums = out_sums();
    const auto sum = allocate(sums_type(), mine_.batch * mine_.heads * mine_.length);
    sums_ = sums ? sums.array(sums_type()) : mine_.o;
    sum_ = sum.array(sums_type());
    const auto take = [&](const SequenceChunk& queries, const SequenceChunk& keys, Array kv) {
      tools_.math.attention_forward(block(rows_of(queries), queries, keys, kv), tools_.compute);
    };
    if (tools_.leaves == 0)
      return each_arrival(
          [&](std::size_t, std::size_t rank, Array kv) { each_seen(rank, kv, take); });
    const auto gathered = gather();
    for (std::size_t slot = 0; slot < split_.chunks_of_rank(); ++slot) {
      const auto queries = split_.chunk_at(tools_.rank(), slot);
      for (std::size_t i = 0; i <= queries.index; ++i) {
        const bool backwards = injected(Bug::takes_blocks_as_they_come) && split_.ranks > 1;
        const auto keys = split_.chunk(backwards ? queries.index - i : i);
        take(queries, keys, chunk_of(gathered, keys));
      }
    }
  }

  void backward(const AttentionSlopes& slopes) {
    const auto sums = out_sums();
    sums_ = sums.array(sums_type());
    const auto home = chunks(sums_type(), split_.chunks_of_rank());
    zero(home);
    tools_.leaves == 0 ? pass_around(slopes, home) : exchange(slopes, home);
    each_run([&](std::size_t row, std::size_t local) {
      const auto from = home.array(sums_type()).from(row * kv());
      copy(slopes.dk.from(local * mine_.stride), mine_.stride, from, kv());
      copy(slopes.dv.from(local * mine_.stride), mine_.stride, from.from(kv() / 2), kv());
    });
  }

 private:
  // Gradients of a chunk's keys and values, of what a leaf's queries take from them.
  struct Part {
    std::size_t leaf = 0;
    SequenceChunk queries{}, keys{};
  };

  DataType type() const { return mine_.q.type; }
  DataType sums_type() const { return sum_type(type()); }
  std::size_t kv() const { return 2 * mine_.kv_heads * mine_.head; }  // of a position
  std::size_t chunk_count() const { return mine_.batch * split_.chunk_length() * kv(); }

  Block allocate(DataType of, std::size_t count) const {
    return tools_.arena.allocate(Category::comm, of, count);
  }
  Block chunks(DataType of, std::size_t count) const { return allocate(of, count * chunk_count()); }
  Block out_sums() const {
    return allocate(sums_type(), mine_.batch * mine_.length * mine_.heads * mine_.head);
  }
  void zero(const Block& what) const { tools_.arena.device().zero(what.view(), tools_.compute); }
  void add(Array to, Array what, std::size_t count) const {
    tools_.math.add(to, to, what, count * chunk_count(), tools_.compute);
  }

  // Calls body(row, local) for the positions of a chunk in a sequence: the first one's row among
  // the chunks, and among this rank's rows.
  template <typename Body>
  void each_run(Body body) const {
    const auto length = split_.chunk_length();
    for (std::size_t slot = 0; slot < split_.chunks_of_rank(); ++slot)
      for (std::size_t s = 0; s < mine_.batch; ++s)
        body((slot * mine_.batch + s) * length, s * mine_.length + slot * length);
  }
  void copy(Array to, std::size_t to_stride, Array from, std::size_t from_stride) const {
    tools_.math.copy_rows({.rows = split_.chunk_length(),
                           .columns = kv() / 2,
                           .to = to,
                           .from = from,
                           .to_stride = to_stride,
                           .from_stride = from_stride},
                          tools_.compute);
  }
  Block pack() const {
    auto packed = chunks(type(), split_.chunks_of_rank());
    each_run([&](std::size_t row, std::size_t local) {
      const auto to = packed.array(type()).from(row * kv());
      copy(to, kv(), mine_.k.from(local * mine_.stride), mine_.stride);
      copy(to.from(kv() / 2), kv(), mine_.v.from(local * mine_.stride), mine_.stride);
    });
    return packed;
  }

  Buffers buffers(const Block& send, const Block& recv, DataType of) const {
    return {.send = send.view(),
            .recv = recv.view(),
            .count = send.bytes() / bytes_of(of),
            .type = of,
            .tag = tools_.axis.tag(purpose_)};
  }
  // To the next rank, and from the previous one.
  Event pass_on(const Block& send, const Block& recv, DataType of) const {
    auto& axis = tools_.axis;
    const int nranks = axis.nranks();
    axis.stream().wait(tools_.compute.record());
    axis.comm().send_recv(buffers(send, recv, of), (axis.rank() + 1) % nranks,
                          (axis.rank() + nranks - 1) % nranks, axis.stream());
    return axis.record();
  }
  // Calls body(step, rank, its chunks), from this rank on down, while the next ones arrive.
  template <typename Body>
  void each_arrival(Body body) const {
    std::array<Block, 3> blocks{pack()};
    std::size_t at = 0;
    for (std::size_t step = 0; step < split_.ranks; ++step) {
      const std::size_t next = at == 1 ? 2 : 1;
      Event arrived;
      if (step + 1 < split_.ranks) {
        if (!blocks[next]) blocks[next] = chunks(type(), split_.chunks_of_rank());
        arrived = pass_on(blocks[at], blocks[next], type());
      }
      body(step, (tools_.rank() + split_.ranks - step) % split_.ranks, blocks[at].array(type()));
      tools_.compute.wait(arrived);
      at = next;
    }
  }
  Block gather() const {
    const auto mine = pack();
    auto all = chunks(type(), split_.chunks());
    auto& axis = tools_.axis;
    axis.stream().wait(tools_.compute.record());
    axis.comm().all_gather(buffers(mine, all, type()), axis.stream());
    tools_.compute.wait(axis.record());
    return all;
  }
  Array chunk_of(const Block& gathered, const SequenceChunk& chunk) const {
    return gathered.array(type()).from((chunk.rank * split_.chunks_of_rank() + chunk.slot) *
                                       chunk_count());
  }

  SequenceRows rows_of(const SequenceChunk& chunk) const {
    const auto length = split_.chunk_length();
    const std::size_t early = injected(Bug::sees_the_next_token) ? 1 : 0;
    return {mine_.length, chunk.slot * length, length, chunk.index * length + early};
  }
  SequenceRows rows_of(const Part& part) const {
    auto rows = rows_of(part.queries);
    const auto position = part.leaf * tools_.leaf_length();
    rows.first += position - rows.position;
    return {rows.length, rows.first, tools_.leaf_length(), position};
  }
  // Calls body(queries, keys, what is sent of these) for the chunks of `rank` that this one sees.
  template <typename Body>
  void each_seen(std::size_t rank, Array chunks, Body body) const {
    for (std::size_t i = 0; i < split_.chunks_of_rank(); ++i)
      for (std::size_t j = 0; j < split_.chunks_of_rank(); ++j) {
        const auto queries = split_.chunk_at(tools_.rank(), i), keys = split_.chunk_at(rank, j);
        if (keys.index <= queries.index) body(queries, keys, chunks.from(j * chunk_count()));
      }
  }
  // The next block of these queries: they take each chunk up to their own once.
  AttentionBlock block(const SequenceRows& rows, const SequenceChunk& queries,
                       const SequenceChunk& keys, Array kv_of_keys) {
    auto& taken = taken_[queries.slot];
    const bool begins = taken == 0, ends = ++taken == queries.index + 1;
    if (ends) taken = 0;
    const auto length = split_.chunk_length();
    AttentionBlock block{.of = mine_,
                         .queries = rows,
                         .keys = {length, 0, length, keys.index * length},
                         .kv_stride = kv(),
                         .leaf = tools_.leaf_length(),
                         .begins = begins,
                         .ends = ends,
                         .sum = sum_,
                         .sums = sums_};
    block.of.k = kv_of_keys;
    block.of.v = kv_of_keys.from(kv() / 2);
    return block;
  }
  void differentiate(const AttentionBlock& what, const AttentionSlopes& slopes, Array dkv) const {
    tools_.math.attention_backward(what, slopes.dout, slopes.dq, dkv, dkv.from(kv() / 2),
                                   tools_.compute);
  }

  // A rank's gradients begin at the rank behind it and end at home, which adds its own.
  void pass_around(const AttentionSlopes& slopes, const Block& home) {
    std::array<Block, 2> sums;
    Block arriving;
    Event arrived;
    const auto add_what_arrived = [&](Array to) {
      tools_.compute.wait(arrived);
      add(to, arriving.array(sums_type()), split_.chunks_of_rank());
    };
    each_arrival([&](std::size_t step, std::size_t rank, Array kv_of_rank) {
      const auto& to = step == 0 ? home : sums[step % 2];
      if (!to) sums[step % 2] = chunks(sums_type(), split_.chunks_of_rank());
      zero(to);
      each_seen(rank, kv_of_rank, [&](const auto& queries, const auto& keys, Array kv_of_keys) {
        const auto with = block(rows_of(queries), queries, keys, kv_of_keys);
        if (injected(Bug::skips_a_block_of_keys) && keys.index + 1 == queries.index) return;
        differentiate(with, slopes, to.array(sums_type()).from(keys.slot * chunk_count()));
      });
      if (step == 0) return;
      if (step > 1) add_what_arrived(to.array(sums_type()));
      if (!arriving) arriving = chunks(sums_type(), split_.chunks_of_rank());
      arrived = pass_on(to, arriving, sums_type());
    });
    if (arriving && !injected(Bug::leaves_ring_sums_on_the_way))
      add_what_arrived(home.array(sums_type()));
  }

  // What the leaves of `from` have for the keys of `to`.
  void append_parts(std::vector<Part>& parts, std::size_t from, std::size_t to) const {
    const auto leaves = tools_.leaves / split_.chunks();  // of a chunk
    for (std::size_t j = 0; j < split_.chunks_of_rank(); ++j)
      for (std::size_t i = 0; i < split_.chunks_of_rank(); ++i) {
        const auto queries = split_.chunk_at(from, i), keys = split_.chunk_at(to, j);
        for (std::size_t leaf = 0; leaf < leaves && keys.index <= queries.index; ++leaf)
          parts.push_back({queries.index * leaves + leaf, queries, keys});
      }
  }
  // Calls body(index, part) by leaves, and for each leaf in the order of keys.
  template <typename Body>
  static void each_in_order(const std::vector<Part>& parts, Body body) {
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(
        order, {}, [&](std::size_t i) { return std::tuple(parts[i].leaf, parts[i].keys.index); });
    for (const std::size_t i : order) body(i, parts[i]);
  }
  void exchange(const AttentionSlopes& slopes, const Block& home) {
    std::vector<Part> sent, received;
    std::vector<Range> send_ranges, recv_ranges;
    for (std::size_t rank = 0; rank < split_.ranks; ++rank) {
      const auto sends = sent.size(), receives = received.size();
      append_parts(sent, tools_.rank(), rank);
      append_parts(received, rank, tools_.rank());
      send_ranges.push_back({sends * chunk_count(), (sent.size() - sends) * chunk_count()});
      recv_ranges.push_back(
          {receives * chunk_count(), (received.size() - receives) * chunk_count()});
    }
    const bool alone = split_.ranks == 1;  // then parts are added up where they belong
    Block send, recv;
    if (!alone) {
      send = chunks(sums_type(), sent.size());
      recv = chunks(sums_type(), received.size());
      zero(send);
    }
    const auto gathered = gather();
    each_in_order(sent, [&](std::size_t i, const Part& part) {
      const auto to = alone ? home.array(sums_type()).from(part.keys.slot * chunk_count())
                            : send.array(sums_type()).from(i * chunk_count());
      differentiate(block(rows_of(part), part.queries, part.keys, chunk_of(gathered, part.keys)),
                    slopes, to);
    });
    if (alone) return;
    auto& axis = tools_.axis;
    axis.stream().wait(tools_.compute.record());
    auto what = buffers(send, recv, sums_type());
    what.count = 0;
    axis.comm().all_to_all_v(what, send_ranges, recv_ranges, axis.stream());
    const auto arrived = axis.record();
    tools_.compute.wait(arrived);
    arrived.wait(Deadline::never());  // the ranges are the call's until then
    each_in_order(received, [&](std::size_t i, const Part& part) {
      add(home.array(sums_type()).from(part.keys.slot * chunk_count()),
          recv.array(sums_type()).from(i * chunk_count()), 1);
    });
  }

  const ContextTools& tools_;
  const SequenceSplit& split_;
  const Attention& mine_;
  const std::string_view purpose_;
  Array sum_{}, sums_{};
  std::array<std::size_t, 2> taken_{};  // chunks of keys, by the queries of each slot
};

}  // namespace

void ring_attention_forward(const ContextTools& tools, const Attention& mine) {
  Ring(tools, mine, kAttentionForward).forward();
}

void ring_attention_backward(const ContextTools& tools, const Attention& mine,
                             const AttentionSlopes& slopes) {
  Ring(tools, mine, kAttentionBackward).backward(slopes);
}

}  // namespace linerate::trainers
