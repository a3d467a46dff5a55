// Elements are written a range at a time, by vectorised loops; of the expected ones only
// ranges that differ are looked at.
#include "pattern/pattern.h"

#include "base/simd.h"
#include "pattern/generate.h"
#include "pattern/plan.h"

#include <algorithm>
#include <cassert>
#include <cstring>

namespace linerate::pattern {
namespace {

// Elements [first, first + count) of one block.
struct ElementRange {
  BlockKey key;
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};
constexpr std::uint32_t kMaxRange = 1024;

template <typename Family>
LINERATE_INLINE void input_loop(const Plan& plan, const ElementRange& range, void* out) {
  auto* const bits = static_cast<typename Family::Bits*>(out);
  const Plan constants = plan;  // a copy, which `bits` cannot overlap
  const ElementRange part = range;
  for (std::uint32_t i = 0; i < part.count; ++i)
    bits[i] = input_element<Family>(constants, part.key, part.first + i);
}

// Rank by rank over the whole range: loops over elements are the ones that vectorise.
template <typename Family>
LINERATE_INLINE void reduction_loop(const Plan& plan, const ElementRange& range, void* out) {
  auto* const bits = static_cast<typename Family::Bits*>(out);
  const Plan constants = plan;
  const ElementRange part = range;
  typename Family::Term total[kMaxRange];
  for (std::uint32_t i = 0; i < part.count; ++i) {
    const Spot spot = spot_of(constants, part.key, part.first + i);
    total[i] = contribution<Family>(constants, part.key, spot, 0);
  }
  for (std::uint32_t turn = 1; turn < constants.active; ++turn)
    for (std::uint32_t i = 0; i < part.count; ++i) {
      const Spot spot = spot_of(constants, part.key, part.first + i);
      total[i] = Family::combined(constants, total[i],
                                  contribution<Family>(constants, part.key, spot, turn));
    }
  for (std::uint32_t i = 0; i < part.count; ++i)
    bits[i] = Family::result(constants, spot_of(constants, part.key, part.first + i), total[i]);
}

struct Baseline {
  template <typename Family>
  static void inputs(const Plan& plan, const ElementRange& range, void* out) {
    input_loop<Family>(plan, range, out);
  }
  template <typename Family>
  static void reductions(const Plan& plan, const ElementRange& range, void* out) {
    reduction_loop<Family>(plan, range, out);
  }
};

struct Avx2 {
  template <typename Family>
  LINERATE_AVX2 static void inputs(const Plan& plan, const ElementRange& range, void* out) {
    input_loop<Family>(plan, range, out);
  }
  template <typename Family>
  LINERATE_AVX2 static void reductions(const Plan& plan, const ElementRange& range, void* out) {
    reduction_loop<Family>(plan, range, out);
  }
};

template <typename F>
void poison_loop(const Plan&, const ElementRange& range, void* out) {
  std::fill_n(static_cast<typename F::Bits*>(out), range.count, F::kPoison);
}

using Loop = void (*)(const Plan&, const ElementRange&, void* out);

template <typename Isa, typename Family>
Loop loop_of(Content::Kind kind) {
  switch (kind) {
    case Content::Kind::input:
      return Isa::template inputs<Family>;
    case Content::Kind::reduction:
      return Isa::template reductions<Family>;
    case Content::Kind::poison:
      return poison_loop<typename Family::Format>;
  }
  __builtin_unreachable();
}

template <typename Family>
Loop loop_of(Content::Kind kind) {
  return has_avx2() ? loop_of<Avx2, Family>(kind) : loop_of<Baseline, Family>(kind);
}

template <typename F>
Loop loop_of(const Content& content) {
  switch (content.op) {
    case RedOp::sum:
    case RedOp::avg:
    case RedOp::mulsum:
      return loop_of<Additive<F>>(content.kind);
    case RedOp::prod:
      return loop_of<Multiplicative<F>>(content.kind);
    case RedOp::max:
    case RedOp::min:
      return loop_of<Extremal<F>>(content.kind);
  }
  __builtin_unreachable();
}

// Writes the elements of one Content, range by range.
class Writer {
 public:
  explicit Writer(const Content& content);

  // Writes elements [index, index + n) of the content to `out`, which has room for kMaxRange
  // 8-byte elements; yields n, which is at least 1 and at most `count`.
  std::size_t write(std::size_t index, std::size_t count, void* out) const;

 private:
  Content content_;
  Plan plan_;
  Loop loop_ = nullptr;
};

Writer::Writer(const Content& content) : content_(content) {
  with_type(content.type, [&]<typename T>() {
    plan_ = plan_of<Format<T>>(content);
    loop_ = loop_of<Format<T>>(content);
  });
}

std::size_t Writer::write(std::size_t index, std::size_t count, void* out) const {
  const std::uint64_t at = content_.first_index + index;
  const std::uint64_t offset = at % kBlockElements;
  const auto n = std::min<std::uint64_t>({count, kMaxRange, kBlockElements - offset});
  loop_(plan_,
        {block_key(plan_.seed, at), static_cast<std::uint32_t>(offset),
         static_cast<std::uint32_t>(n)},
        out);
  return n;
}

struct Scratch {
  alignas(64) std::byte bytes[kMaxRange * sizeof(std::uint64_t)];
};

template <typename T>
std::uint64_t bits_at(const std::byte* from) {
  typename Format<T>::Bits bits;
  std::memcpy(&bits, from, sizeof bits);
  return bits;
}

template <typename T>
double value_at(const std::byte* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  if constexpr (std::is_class_v<T>)
    return static_cast<double>(static_cast<float>(value));
  else
    return static_cast<double>(value);
}

// Elements of the range from `index` on.
struct Pair {
  const std::byte* expected = nullptr;
  const std::byte* got = nullptr;
  std::size_t index = 0;
  std::size_t count = 0;
};

template <typename T>
void add_differences(Pair at, std::uint64_t tolerance, Comparison& sum) {
  for (; at.count > 0; --at.count, ++at.index, at.expected += sizeof(T), at.got += sizeof(T)) {
    const auto expected = bits_at<T>(at.expected);
    const auto got = bits_at<T>(at.got);
    if ((expected > got ? expected - got : got - expected) <= tolerance) continue;
    if (sum.wrong++ == 0)
      sum.first = {at.index, value_at<T>(at.expected), value_at<T>(at.got), expected, got};
  }
}

}  // namespace

void fill(View view, const Content& content) {
  const std::size_t bytes = bytes_of(content.type);
  assert(view.size() % bytes == 0);
  const Writer writer(content);
  Scratch scratch;
  for (std::size_t done = 0, count = view.size() / bytes; done < count;) {
    const std::size_t n = writer.write(done, count - done, scratch.bytes);
    std::memcpy(view.data() + done * bytes, scratch.bytes, n * bytes);
    done += n;
  }
}

Comparison count_wrong(ConstView view, const Content& content) {
  const std::size_t bytes = bytes_of(content.type);
  assert(view.size() % bytes == 0);
  const Writer writer(content);
  const std::uint64_t tolerance = tolerance_of(content);
  Comparison sum;
  Scratch scratch;
  for (std::size_t done = 0, count = view.size() / bytes; done < count;) {
    const std::size_t n = writer.write(done, count - done, scratch.bytes);
    const Pair at{scratch.bytes, view.data() + done * bytes, done, n};
    if (std::memcmp(at.expected, at.got, n * bytes) != 0)
      with_type(content.type, [&]<typename T>() { add_differences<T>(at, tolerance, sum); });
    done += n;
  }
  return sum;
}

}  // namespace linerate::pattern
