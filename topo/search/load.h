// How much of every link the channels found so far leave free.
#pragma once

#include "topo/search/ground.h"

#include <vector>

namespace linerate::topo {

class LinkLoad {
 public:
  explicit LinkLoad(const Ground& ground) : free_(ground.links()) {}

  // Takes `gbps` along the way, or nothing and false where a link has not so much left.
  bool take(const Way& way, float gbps);
  void give_back(const Way& way, float gbps) { (void)move(way, -gbps, way.legs.size()); }
  // Whether every link of the way can carry it, one after the other.
  bool can_take(const Way& way, float gbps) const;
  float free(int link) const { return free_[static_cast<std::size_t>(link)]; }

 private:
  struct Share {
    float forth = 0, back = 0;
  };
  static Share share_of(const Way& way, const Leg& leg, float gbps);
  bool has(const Leg& leg, const Share& share) const;
  std::size_t move(const Way& way, float gbps, std::size_t legs);
  std::vector<float> free_;
};

}  // namespace linerate::topo
