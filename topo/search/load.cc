// See load.h. It counts as followPath in NCCL's src/graph/search.cc does, in its precision.
#include "topo/search/load.h"

#include "topo/search/rounding.h"

#include <algorithm>

namespace linerate::topo {

LinkLoad::Share LinkLoad::share_of(const Way& way, const Leg& leg, float gbps) {
  const bool inflated = leg.pci && way.inflates_pci;  // smaller packets than Intel's own
  const float forth = inflated ? gbps * 6 / 5 : gbps;
  return {.forth = forth, .back = forth * leg.back_share};
}

bool LinkLoad::has(const Leg& leg, const Share& share) const {
  return free(leg.link) >= share.forth && (leg.back_link < 0 || free(leg.back_link) >= share.back);
}

bool LinkLoad::can_take(const Way& way, float gbps) const {
  return std::ranges::all_of(way.legs,
                             [&](const Leg& leg) { return has(leg, share_of(way, leg, gbps)); });
}

bool LinkLoad::take(const Way& way, float gbps) {
  const std::size_t moved = move(way, gbps, way.legs.size());
  if (moved == way.legs.size()) return true;
  move(way, -gbps, moved);
  return false;
}

// Legs done, before the first one that has too little left.
std::size_t LinkLoad::move(const Way& way, float gbps, std::size_t legs) {
  for (std::size_t i = 0; i < legs; ++i) {
    const Leg& leg = way.legs[i];
    const Share share = share_of(way, leg, gbps);
    if (!has(leg, share)) return i;
    float& link = free_[static_cast<std::size_t>(leg.link)];
    link = rounded_gbps(link - share.forth);
    if (leg.back_link < 0) continue;
    float& back_link = free_[static_cast<std::size_t>(leg.back_link)];
    back_link = rounded_gbps(back_link - share.back);
  }
  return legs;
}

}  // namespace linerate::topo
