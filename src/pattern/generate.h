// The data of a run, element by element, so that every order of reduction gives the same bits.
//
// At each index only a rotating set of `active` ranks contributes; what the others hold changes no
// result (zero, one, or a value that cannot win). Host and GPU share these functions.
#pragma once

#include "pattern/families.h"

#include <cstdint>

namespace linerate::pattern {

// The input of plan.rank at `offset` of the block with `key`.
template <typename Family>
LINERATE_ELEMENT constexpr typename Family::Bits input_element(const Plan& plan,
                                                               const BlockKey& key,
                                                               std::uint32_t offset) {
  const Spot spot = spot_of(plan, key, offset);
  const std::uint32_t turn = turn_of(plan, spot.start);
  const std::uint32_t hash = rank_hash(key, spot.hash, plan.rank);
  return Family::input(plan, spot,
                       turn < plan.active ? Family::active(plan, spot, turn, hash)
                                          : Family::resting(plan, spot, hash));
}

// What the active rank at `turn` adds to the reduction.
template <typename Family>
LINERATE_ELEMENT constexpr typename Family::Term contribution(const Plan& plan, const BlockKey& key,
                                                              const Spot& spot,
                                                              std::uint32_t turn) {
  const std::uint32_t rank = rank_at(plan, spot.start, turn);
  const std::uint32_t hash = rank_hash(key, spot.hash, rank);
  return Family::weighted(plan, rank, Family::active(plan, spot, turn, hash));
}

// The reduction over all ranks at `offset`: O(active).
template <typename Family>
LINERATE_ELEMENT constexpr typename Family::Bits reduction_element(const Plan& plan,
                                                                   const BlockKey& key,
                                                                   std::uint32_t offset) {
  const Spot spot = spot_of(plan, key, offset);
  typename Family::Term total = contribution<Family>(plan, key, spot, 0);
  for (std::uint32_t turn = 1; turn < plan.active; ++turn)
    total = Family::combined(plan, total, contribution<Family>(plan, key, spot, turn));
  return Family::result(plan, spot, total);
}

}  // namespace linerate::pattern
