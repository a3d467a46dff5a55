// The generator and the comparison for one element of a buffer, and the way from a Content to their
// templates: what the kernels run, and what tests run on the host.
#pragma once

#include "comm/content.h"
#include "comm/data_type.h"
#include "pattern/families.h"
#include "pattern/generate.h"
#include "pattern/plan.h"

#include <cstdint>

namespace linerate::cuda {

// The elements that a kernel writes or compares: what all its threads share.
struct ElementRange {
  pattern::Plan plan{};
  std::uint64_t first_index = 0;
  std::uint64_t count = 0;
  std::uint64_t tolerance = 0;  // units in the last place
};

// How an element of a content of this kind is made.
template <Content::Kind kKind>
struct Source {
  template <typename Family>
  LINERATE_ELEMENT static typename Family::Bits bits(const pattern::Plan& plan,
                                                     const pattern::BlockKey& key,
                                                     std::uint32_t offset) {
    if constexpr (kKind == Content::Kind::input)
      return pattern::input_element<Family>(plan, key, offset);
    else if constexpr (kKind == Content::Kind::reduction)
      return pattern::reduction_element<Family>(plan, key, offset);
    else
      return Family::Format::kPoison;
  }
};

// Element `i` of the range.
template <typename Family, typename From>
LINERATE_ELEMENT typename Family::Bits element_at(const ElementRange& range, std::uint64_t i) {
  const std::uint64_t index = range.first_index + i;
  const auto key = pattern::block_key(range.plan.seed, index);
  const auto offset = static_cast<std::uint32_t>(index % pattern::kBlockElements);
  return From::template bits<Family>(range.plan, key, offset);
}

// Whether `got` is further from `expected` than the tolerance.
template <typename Bits>
LINERATE_ELEMENT bool differs(Bits expected, Bits got, std::uint64_t tolerance) {
  const std::uint64_t apart = expected > got ? expected - got : got - expected;
  return apart > tolerance;
}

// Calls body.template operator()<Family, Source<…>>(range).
template <typename Family, typename Body>
void with_source(const Content& content, const ElementRange& range, const Body& body) {
  switch (content.kind) {
    case Content::Kind::input:
      return body.template operator()<Family, Source<Content::Kind::input>>(range);
    case Content::Kind::reduction:
      return body.template operator()<Family, Source<Content::Kind::reduction>>(range);
    case Content::Kind::poison:
      return body.template operator()<Family, Source<Content::Kind::poison>>(range);
  }
}

template <typename F, typename Body>
void with_family(const Content& content, const ElementRange& range, const Body& body) {
  switch (content.op) {
    case RedOp::sum:
    case RedOp::avg:
    case RedOp::mulsum:
      return with_source<pattern::Additive<F>>(content, range, body);
    case RedOp::prod:
      return with_source<pattern::Multiplicative<F>>(content, range, body);
    case RedOp::max:
    case RedOp::min:
      return with_source<pattern::Extremal<F>>(content, range, body);
  }
}

template <typename Body>
void with_elements(const Content& content, std::size_t count, const Body& body) {
  with_type(content.type, [&]<typename T>() {
    const ElementRange range{.plan = pattern::plan_of<pattern::Format<T>>(content),
                             .first_index = content.first_index,
                             .count = count,
                             .tolerance = pattern::tolerance_of(content)};
    with_family<pattern::Format<T>>(content, range, body);
  });
}

}  // namespace linerate::cuda
