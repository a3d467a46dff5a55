// Block by block, so that accumulators stay in the first-level cache.
#include "devices/cpu/reduce.h"

#include "devices/cpu/elementwise.h"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <type_traits>

namespace linerate {
namespace {

constexpr std::size_t kBlockBytes = 8192;  // two blocks and a source block fit in any L1 cache

// The type that T accumulates in.
template <typename T>
using Wide = std::conditional_t<std::is_class_v<T>, float, T>;

template <typename T>
class Reducer {
 public:
  explicit Reducer(const ReduceSpec& spec) : spec_(spec), loops_(cpu::elementwise<W>(spec.op)) {}

  void run(std::byte* dst, std::span<const std::byte* const> sources, std::size_t count) {
    for (std::size_t done = 0; done < count; done += kBlock)
      block(dst, sources, {done, std::min(kBlock, count - done)});
  }

 private:
  using W = Wide<T>;
  static constexpr bool kWidened = !std::is_same_v<W, T>;
  static constexpr std::size_t kBlock = kBlockBytes / sizeof(W);

  // dst is written last, because it may be one of the sources.
  void block(std::byte* dst, std::span<const std::byte* const> sources, Range piece) {
    std::byte* const out = dst + piece.offset * sizeof(T);
    const bool average = spec_.op == RedOp::avg;
    const void* value = operand(sources, 0, piece, accumulator_);
    for (std::size_t k = 1; k < sources.size(); ++k) {
      const void* other = operand(sources, k, piece, widened_);
      const bool last = k + 1 == sources.size() && !average && !kWidened;
      void* const to = last ? static_cast<void*>(out) : accumulator_;
      loops_.combine(to, value, other, piece.count);
      value = to;
    }
    if (average) {
      void* const to = kWidened ? static_cast<void*>(accumulator_) : out;
      loops_.divide(to, value, spec_.nranks, piece.count);
      value = to;
    }
    store(out, value, piece.count);
  }

  // The block of sources[k] in the accumulator's type and multiplied: the source itself where that
  // changes nothing, else `room`.
  const void* operand(std::span<const std::byte* const> sources, std::size_t k, Range piece,
                      W* room) {
    const void* value = sources[k] + piece.offset * sizeof(T);
    if constexpr (kWidened) {
      conversion_.widen(room, value, piece.count);
      value = room;
    }
    if (!spec_.premuls.empty()) {
      loops_.scale(room, value, spec_.premuls[k], piece.count);
      value = room;
    }
    return value;
  }

  void store(std::byte* out, const void* value, std::size_t count) {
    if constexpr (kWidened)
      conversion_.narrow(out, static_cast<const float*>(value), count);
    else if (value != out)
      std::memcpy(out, value, count * sizeof(T));
  }

  struct Nothing {};
  static auto conversion_of_type() {
    if constexpr (kWidened)
      return cpu::conversion<T>();
    else
      return Nothing{};
  }

  const ReduceSpec& spec_;
  cpu::Elementwise<W> loops_;
  decltype(conversion_of_type()) conversion_ = conversion_of_type();
  alignas(64) W accumulator_[kBlock];
  alignas(64) W widened_[kBlock];
};

}  // namespace

void reduce(std::byte* dst, std::span<const std::byte* const> sources, std::size_t count,
            const ReduceSpec& spec) {
  assert(!sources.empty());
  assert(spec.premuls.empty() || spec.premuls.size() == sources.size());
  with_type(spec.type, [&]<typename T>() { Reducer<T>(spec).run(dst, sources, count); });
}

void multiply(std::byte* to, const Op& op, std::size_t count) {
  const std::byte* const source = op.send.data();
  const ReduceSpec spec{.type = op.type, .op = RedOp::mulsum, .premuls = {&op.premul, 1}};
  reduce(to, {&source, 1}, count, spec);
}

void finish_average(const Op& op, std::byte* data, int nranks) {
  if (op.op != RedOp::avg) return;
  const std::byte* const source = data;
  reduce(data, {&source, 1}, op.count, {.type = op.type, .op = RedOp::avg, .nranks = nranks});
}

}  // namespace linerate
