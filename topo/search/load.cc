// See load.h. It counts as followPath in NCCL's src/graph/search.cc does, in its precision.
#include "topo/search/load.h"

#include <cmath>

namespace linerate::topo {
namespace {

// Rounded to 1/1000, so that what is taken and given back leaves what was there.
void subtract(float& from, float gbps) {
  constexpr float kSteps = 1000;
  from = std::round((from - gbps) * kSteps) / kSteps;
}

}  // namespace

bool LinkLoad::take(const Way& way, float gbps) {
  const std::size_t moved = move(way, gbps, way.legs.size());
  if (moved == way.legs.size()) return true;
  move(way, -gbps, moved);
  return false;
}

// Legs done, before the first one that has too little left.
std::size_t LinkLoad::move(const Way& way, float gbps, std::size_t legs) {
  const float on_pci = way.inflates_pci ? gbps * 6 / 5 : gbps;  // smaller packets than Intel's own
  for (std::size_t i = 0; i < legs; ++i) {
    const Leg& leg = way.legs[i];
    float& link = free_[static_cast<std::size_t>(leg.link)];
    const float forth = leg.pci ? on_pci : gbps;
    const float back = forth * leg.back_share;
    float* const back_link =
        leg.back_link < 0 ? nullptr : &free_[static_cast<std::size_t>(leg.back_link)];
    if (link < forth || (back_link != nullptr && *back_link < back)) return i;
    subtract(link, forth);
    if (back_link != nullptr) subtract(*back_link, back);
  }
  return legs;
}

}  // namespace linerate::topo
