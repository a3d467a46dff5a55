// The elements that a collective must move through memory that all ranks share.
#pragma once

#include "model/model.h"

#include <cstddef>
#include <vector>

namespace linerate {

// Elements.
struct MemoryTraffic {
  std::size_t read = 0;     // each input that is needed, once
  std::size_t written = 0;  // each element of a result that is not there yet, once
  // In place only, elements that are both read and overwritten: `updated` by anything, `exchanged`
  // by another rank's input, so that they must be read first.
  std::size_t updated = 0, exchanged = 0;

  MemoryTraffic& operator+=(const MemoryTraffic& other) {
    read += other.read;
    written += other.written;
    updated += other.updated;
    exchanged += other.exchanged;
    return *this;
  }

  bool operator==(const MemoryTraffic&) const = default;
};

// Lower bound for each rank's own buffers. In place, a rank's own part may be where it belongs
// already. Takes O(nranks^2) where each rank has a part for each other.
std::vector<MemoryTraffic> memory_traffic(const ModeledCall& call);

}  // namespace linerate
