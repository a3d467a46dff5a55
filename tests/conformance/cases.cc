// See cases.h.
#include "conformance/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace linerate::conformance {
namespace {

constexpr std::array<Size, 6> kSizes{{{0, 0}, {1, 0}, {37, 0}, {37, 1}, {4099, 0}, {4099, 1}}};
constexpr Size kMatrixSize{0, 1, true};

bool runs(const Collective& collective, int nranks) {
  return collective.refusal == nullptr || !collective.refusal(nranks);
}

std::vector<RedOp> ops_of(const Collective& collective) {
  // Inputs made for max differ everywhere: data that only moves is told apart best with them.
  if (!collective.reduces) return {RedOp::max};
  std::vector<RedOp> ops;
  for (const auto& row : kRedOps) ops.push_back(row.op);
  return ops;
}

std::vector<int> roots_of(const Collective& collective, int nranks) {
  if (!collective.rooted) return {0};
  const std::set<int> roots{0, nranks / 2, nranks - 1};
  return {roots.begin(), roots.end()};
}

std::vector<Size> sizes_of(const Collective& collective) {
  std::vector<Size> sizes(kSizes.begin(), kSizes.end());
  if (collective.varies) sizes.push_back(kMatrixSize);
  return sizes;
}

// Calls `visit` with every case of one collective and type.
template <typename Visit>
void for_each_case(const Case& of, int nranks, Visit visit) {
  Case c = of;
  for (const auto op : ops_of(*of.collective))
    for (const auto root : roots_of(*of.collective, nranks))
      for (const auto& size : sizes_of(*of.collective))
        for (const bool in_place : {false, true}) {
          if (in_place && !of.collective->in_place) continue;
          c.op = op;
          c.root = root;
          c.size = size;
          c.in_place = in_place;
          visit(c);
        }
}

}  // namespace

std::vector<Case> defined_cases(int nranks) {
  std::vector<Case> cases;
  for (const auto* collective : all_collectives()) {
    if (!runs(*collective, nranks)) continue;
    for (const auto& type : kDataTypes)
      for_each_case({.collective = collective, .type = type.type}, nranks,
                    [&](const Case& c) { cases.push_back(c); });
  }
  return cases;
}

std::size_t defined_count(int nranks) {
  constexpr std::size_t kTypes = 12, kOps = 6;
  const auto roots = static_cast<std::size_t>(std::min(nranks, 3));
  std::size_t total = 0;
  for (const auto* collective : all_collectives()) {
    if (!runs(*collective, nranks)) continue;
    const std::size_t sizes = collective->varies ? 7 : 6;
    total += kTypes * sizes * (collective->reduces ? kOps : 1) * (collective->rooted ? roots : 1) *
             (collective->in_place ? 2 : 1);
  }
  return total;
}

std::vector<Case> large_cases(int nranks, std::size_t bytes) {
  std::vector<Case> cases;
  for (const auto* collective : all_collectives()) {
    if (!runs(*collective, nranks)) continue;
    const auto n = collective->divides_by_ranks ? static_cast<std::size_t>(nranks) : 1;
    const Size size{.count = bytes / sizeof(float) / n + 13, .lead = 1};
    const auto op = collective->reduces ? RedOp::sum : RedOp::max;
    for (const bool in_place : {false, true})
      if (!in_place || collective->in_place)
        cases.push_back({.collective = collective,
                         .type = DataType::float32,
                         .op = op,
                         .in_place = in_place,
                         .root = nranks - 1,
                         .size = size});
  }
  return cases;
}

std::string text_of(const Case& c) {
  return fmt::format("{} of {} {}{}{}{}{}", c.collective->name, c.size.count, name_of(c.type),
                     c.collective->reduces ? fmt::format(" {}", name_of(c.op)) : "",
                     c.collective->rooted ? fmt::format(" root {}", c.root) : "",
                     c.in_place ? " in place" : "", c.size.lead > 0 ? " unaligned" : "");
}

}  // namespace linerate::conformance
