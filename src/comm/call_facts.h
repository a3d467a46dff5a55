// What a call was made of, as far as its backend tells.
#pragma once

#include <string>

namespace linerate {

// Names are the backend's own words: "ring" of the host backend, "RING" and "LL128" of NCCL.
struct CallFacts {
  std::string algorithm{};  // empty: unknown, or not a collective
  std::string protocol{};   // empty: unknown, or the backend has none
  int channels = 0;         // that it ran on; 0: unknown, or the backend has none
  bool lost = false;        // the backend told, but something of it could not be recorded

  bool operator==(const CallFacts&) const = default;
};

}  // namespace linerate
