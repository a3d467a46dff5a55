// What is sent are rows of the other rank's heads, one for each sequence and position of this rank.
#include "trainers/parallel/ulysses.h"

#include "trainers/parallel/injected.h"
#include "trainers/parallel/whole_attention.h"

#include <string_view>
#include <utility>
#include <vector>

namespace linerate::trainers {
namespace {

// A tensor's columns, this rank's rows: `columns` of each rank's heads side by side.
struct Columns {
  Array local{};
  std::size_t stride = 0, columns = 0;
};

class HeadExchange {
 public:
  HeadExchange(const ContextTools& tools, std::size_t batch, std::string_view purpose)
      : tools_(tools), split_(tools.split), batch_(batch), purpose_(purpose) {}

  // `whole`: [batch, length, columns of each], of this rank's heads.
  void to_heads(Array whole, const std::vector<Columns>& parts) const {
    run(
        whole.type, parts, [&](Array send) { each_local(send, parts, true); },
        [&](Array recv) { each_whole(recv, whole, width(parts), false); });
  }
  void from_heads(Array whole, const std::vector<Columns>& parts) const {
    run(
        whole.type, parts, [&](Array send) { each_whole(send, whole, width(parts), true); },
        [&](Array recv) { each_local(recv, parts, false); });
  }

 private:
  static std::size_t width(const std::vector<Columns>& parts) {
    std::size_t width = 0;
    for (const auto& part : parts) width += part.columns;
    return width;
  }
  std::size_t rows() const { return batch_ * split_.local_length(); }

  template <typename Pack, typename Unpack>
  void run(DataType type, const std::vector<Columns>& parts, Pack pack, Unpack unpack) const {
    const auto count = rows() * width(parts);  // between two ranks
    auto& axis = tools_.axis;
    const auto send = tools_.arena.allocate(Category::comm, type, split_.ranks * count);
    const auto recv = tools_.arena.allocate(Category::comm, type, split_.ranks * count);
    pack(send.array(type));
    axis.stream().wait(tools_.compute.record());
    axis.comm().all_to_all({.send = send.view(),
                            .recv = recv.view(),
                            .count = count,
                            .type = type,
                            .tag = axis.tag(purpose_)},
                           axis.stream());
    tools_.compute.wait(axis.record());
    unpack(recv.array(type));
  }
  void copy(RowCopy what, bool packs) const {
    if (!packs) std::swap(what.to, what.from), std::swap(what.to_stride, what.from_stride);
    tools_.math.copy_rows(what, tools_.compute);
  }
  // Between this rank's rows and what it sends to each rank, or gets.
  void each_local(Array sent, const std::vector<Columns>& parts, bool packs) const {
    for (std::size_t rank = 0; rank < split_.ranks; ++rank) {
      auto to = sent.from(rank * rows() * width(parts));
      for (const auto& part : parts) {
        copy({.rows = rows(),
              .columns = part.columns,
              .to = to,
              .from = part.local.from(rank * part.columns),
              .to_stride = width(parts),
              .from_stride = part.stride},
             packs);
        to = to.from(part.columns);
      }
    }
  }
  // Between whole sequences and the positions of each rank.
  void each_whole(Array sent, Array whole, std::size_t width, bool packs) const {
    const auto count = split_.chunk_length() * width;
    for (std::size_t rank = 0; rank < split_.ranks; ++rank)
      for (std::size_t sequence = 0; sequence < batch_; ++sequence)
        for (std::size_t slot = 0; slot < split_.chunks_of_rank(); ++slot) {
          const auto chunk = injected(Bug::heads_come_back_by_rank) && packs
                                 ? rank * split_.chunks_of_rank() + slot
                                 : split_.chunk_at(rank, slot).index;
          copy({.rows = 1,
                .columns = count,
                .to = sent,
                .from = whole.from(sequence * split_.length * width + chunk * count)},
               packs);
          sent = sent.from(count);
        }
  }

  const ContextTools& tools_;
  const SequenceSplit& split_;
  const std::size_t batch_;
  const std::string_view purpose_;
};

// Columns of q, k and v, or of their gradients.
std::vector<Columns> columns_of(const Attention& mine, const Attention& heads, Array q, Array k,
                                Array v) {
  const auto kv = heads.kv_heads * heads.head;
  return {{q, mine.stride, heads.heads * heads.head}, {k, mine.stride, kv}, {v, mine.stride, kv}};
}
std::vector<Columns> columns_of(const Attention& mine, const Attention& heads, Array out) {
  return {{out, mine.heads * mine.head, heads.heads * heads.head}};
}

}  // namespace

HeadsOfSequences::HeadsOfSequences(const ContextTools& tools, const Attention& mine)
    : attention(mine) {
  const auto type = mine.q.type;
  attention.length = tools.split.length;
  attention.heads /= tools.split.ranks;
  attention.kv_heads /= tools.split.ranks;
  attention.stride = (attention.heads + 2 * attention.kv_heads) * mine.head;
  const auto rows = mine.batch * attention.length;
  const auto allocate = [&](DataType of, std::size_t count) {
    return tools.arena.allocate(Category::activation, of, count);
  };
  qkv_ = allocate(type, rows * attention.stride);
  o_ = allocate(type, rows * attention.heads * mine.head);
  lse_ = allocate(sum_type(type), rows * attention.heads);
  attention.q = qkv_.array(type);
  attention.k = attention.q.from(attention.heads * mine.head);
  attention.v = attention.k.from(attention.kv_heads * mine.head);
  attention.o = o_.array(type);
  attention.lse = lse_.array(sum_type(type));
}

void ulysses_forward(const ContextTools& tools, const Attention& mine,
                     const HeadsOfSequences& saved) {
  const auto& heads = saved.attention;
  const HeadExchange exchange(tools, mine.batch, kAttentionForward);
  exchange.to_heads(heads.q, columns_of(mine, heads, mine.q, mine.k, mine.v));
  whole_forward({tools.math, tools.arena, tools.compute}, heads, tools.leaf_length());
  exchange.from_heads(heads.o, columns_of(mine, heads, mine.o));
}

void ulysses_backward(const ContextTools& tools, const Attention& mine,
                      const HeadsOfSequences& saved, const AttentionSlopes& slopes) {
  const auto& heads = saved.attention;
  const auto type = mine.q.type;
  const auto rows = heads.batch * heads.length;
  const auto dout = tools.arena.allocate(Category::comm, type, rows * heads.heads * heads.head);
  const auto memory = tools.arena.allocate(Category::comm, type, rows * heads.stride);
  const auto dqkv = memory.array(type);
  const HeadExchange exchange(tools, mine.batch, kAttentionBackward);
  exchange.to_heads(dout.array(type), columns_of(mine, heads, slopes.dout));
  const auto dk = dqkv.from(heads.heads * heads.head);
  whole_backward({tools.math, tools.arena, tools.compute}, heads, tools.leaf_length(),
                 {dout.array(type), dqkv, dk, dk.from(heads.kv_heads * heads.head)});
  exchange.from_heads(dqkv, columns_of(mine, heads, slopes.dq, slopes.dk, slopes.dv));
}

}  // namespace linerate::trainers
