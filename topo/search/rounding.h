// What is left of a link, in steps that channels do not wear away.
#pragma once

#include <cmath>

namespace linerate::topo {

// To 1/1000 GB/s, so that what is taken and given back leaves what was there.
inline float rounded_gbps(float gbps) {
  constexpr float kSteps = 1000;
  return std::round(gbps * kSteps) / kSteps;
}

}  // namespace linerate::topo
