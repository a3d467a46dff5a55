// From a Content to the templates that make its elements.
#pragma once

#include "comm/content.h"
#include "comm/data_type.h"
#include "devices/cuda/element.h"
#include "pattern/families.h"
#include "pattern/plan.h"
#include "pattern/tolerance.h"

namespace linerate::cuda {

// Calls body.template operator()<Family, Source>(stretch).
template <typename Family, typename Body>
void with_source(const Content& content, const Stretch& stretch, const Body& body) {
  switch (content.kind) {
    case Content::Kind::input:
      return body.template operator()<Family, FromInput>(stretch);
    case Content::Kind::reduction:
      return body.template operator()<Family, FromReduction>(stretch);
    case Content::Kind::poison:
      return body.template operator()<Family, Poison>(stretch);
  }
}

template <typename F, typename Body>
void with_family(const Content& content, const Stretch& stretch, const Body& body) {
  switch (content.op) {
    case RedOp::sum:
    case RedOp::avg:
    case RedOp::mulsum:
      return with_source<pattern::Additive<F>>(content, stretch, body);
    case RedOp::prod:
      return with_source<pattern::Multiplicative<F>>(content, stretch, body);
    case RedOp::max:
    case RedOp::min:
      return with_source<pattern::Extremal<F>>(content, stretch, body);
  }
}

template <typename Body>
void with_elements(const Content& content, std::size_t count, const Body& body) {
  with_type(content.type, [&]<typename T>() {
    const Stretch stretch{.plan = pattern::plan_of<pattern::Format<T>>(content),
                          .first_index = content.first_index,
                          .count = count,
                          .tolerance = pattern::tolerance_of(content)};
    with_family<pattern::Format<T>>(content, stretch, body);
  });
}

}  // namespace linerate::cuda
