#include "pattern/writer.h"

#include "base/simd.h"
#include "pattern/plan.h"

#include <algorithm>

namespace linerate::pattern {
namespace {

template <typename Family>
LINERATE_INLINE void input_loop(const Plan& plan, const Stretch& stretch, void* out) {
  auto* const bits = static_cast<typename Family::Bits*>(out);
  const Plan constants = plan;  // a copy, which `bits` cannot overlap
  const Stretch threads = stretch;
  for (std::uint32_t i = 0; i < threads.count; ++i)
    bits[i] = input_element<Family>(constants, threads.key, threads.first + i);
}

// Rank by rank over the whole stretch: loops over threads are the ones that vectorise.
template <typename Family>
LINERATE_INLINE void reduction_loop(const Plan& plan, const Stretch& stretch, void* out) {
  auto* const bits = static_cast<typename Family::Bits*>(out);
  const Plan constants = plan;
  const Stretch threads = stretch;
  typename Family::Term total[kMaxStretch];
  for (std::uint32_t i = 0; i < threads.count; ++i) {
    const Spot spot = spot_of(constants, threads.key, threads.first + i);
    total[i] = contribution<Family>(constants, threads.key, spot, 0);
  }
  for (std::uint32_t turn = 1; turn < constants.active; ++turn)
    for (std::uint32_t i = 0; i < threads.count; ++i) {
      const Spot spot = spot_of(constants, threads.key, threads.first + i);
      total[i] = Family::combined(constants, total[i],
                                  contribution<Family>(constants, threads.key, spot, turn));
    }
  for (std::uint32_t i = 0; i < threads.count; ++i)
    bits[i] =
        Family::result(constants, spot_of(constants, threads.key, threads.first + i), total[i]);
}

struct Baseline {
  template <typename Family>
  static void inputs(const Plan& plan, const Stretch& stretch, void* out) {
    input_loop<Family>(plan, stretch, out);
  }
  template <typename Family>
  static void reductions(const Plan& plan, const Stretch& stretch, void* out) {
    reduction_loop<Family>(plan, stretch, out);
  }
};

struct Avx2 {
  template <typename Family>
  LINERATE_AVX2 static void inputs(const Plan& plan, const Stretch& stretch, void* out) {
    input_loop<Family>(plan, stretch, out);
  }
  template <typename Family>
  LINERATE_AVX2 static void reductions(const Plan& plan, const Stretch& stretch, void* out) {
    reduction_loop<Family>(plan, stretch, out);
  }
};

template <typename F>
void poison_loop(const Plan&, const Stretch& stretch, void* out) {
  std::fill_n(static_cast<typename F::Bits*>(out), stretch.count, F::kPoison);
}

using Loop = void (*)(const Plan&, const Stretch&, void* out);

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

}  // namespace

Writer::Writer(const Content& content) : content_(content) {
  with_type(content.type, [&]<typename T>() {
    plan_ = plan_of<Format<T>>(content);
    loop_ = loop_of<Format<T>>(content);
  });
}

std::size_t Writer::write(std::size_t index, std::size_t count, void* out) const {
  const std::uint64_t at = content_.first_index + index;
  const std::uint64_t thread = at % kBlockElements;
  const auto n = std::min<std::uint64_t>({count, kMaxStretch, kBlockElements - thread});
  loop_(plan_,
        {block_key(plan_.seed, at), static_cast<std::uint32_t>(thread),
         static_cast<std::uint32_t>(n)},
        out);
  return n;
}

}  // namespace linerate::pattern
