// What a collective cannot help but move where all ranks share one memory.
#pragma once

#include "collectives/collective.h"
#include "record/record.h"

#include <cstddef>
#include <vector>

namespace linerate {

// Elements.
struct Moved {
  std::size_t read = 0;     // each input that is needed, once
  std::size_t written = 0;  // each element of a result that is not there yet, once
  // In place: of those read, over which anything is written, and over which inputs are written as
  // they are, so that they must be read before.
  std::size_t updated = 0, exchanged = 0;

  Moved& operator+=(const Moved& other) {
    read += other.read;
    written += other.written;
    updated += other.updated;
    exchanged += other.exchanged;
    return *this;
  }

  bool operator==(const Moved&) const = default;
};

// In each rank's own buffers, from what its receive buffer must hold (Collective::expect): no
// algorithm moves less. In place, a rank's own part may lie where it belongs already. `sizing.rank`
// does not matter. The work grows with the square of nranks where each rank has a part of its own.
std::vector<Moved> moved_by_rank(const Collective& collective, const Sizing& sizing, int root,
                                 Placement placement);

}  // namespace linerate
