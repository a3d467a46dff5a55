#include "trainers/programs/peer_waits.h"

#include "base/wire.h"

#include <algorithm>

namespace linerate {

void PeerWaits::add(const trainers::StepTime& time) {
  steps_us_ += time.step_us;
  for (const auto& [rank, us] : time.waited_for) us_[rank] += us;
}

std::vector<PeerWaitShare> PeerWaits::shares(Bootstrap& ranks) const {
  WireWriter mine;
  mine.put(steps_us_).put(us_.size());
  for (const auto& [rank, us] : us_) mine.put(rank).put(us);
  double all_us = 0;
  std::map<int, double> waited_us, own_us;
  const auto gathered = ranks.gather(mine.bytes(), Deadline::never());
  for (std::size_t member = 0; member < gathered.size(); ++member) {
    WireReader theirs(gathered[member]);
    const auto steps_us = own_us[static_cast<int>(member)] = theirs.get<double>();
    all_us += steps_us;
    for (auto left = theirs.get<std::size_t>(); left > 0; --left) {
      const auto rank = theirs.get<int>();
      waited_us[rank] += theirs.get<double>();
    }
  }
  std::vector<PeerWaitShare> shares;
  for (const auto& [rank, us] : waited_us)
    shares.push_back({.rank = rank, .share = us / (all_us - own_us[rank])});
  std::ranges::stable_sort(shares, std::greater(), &PeerWaitShare::share);
  return shares;
}

}  // namespace linerate
