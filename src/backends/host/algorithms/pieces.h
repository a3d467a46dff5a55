// Parts that algorithms share: slices of a buffer, places of all ranks, and the pieces in which a
// buffer flows.
#pragma once

#include "backends/host/schedule/schedule.h"
#include "base/pages.h"
#include "comm/buffer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace linerate::host {

// Part `part` of `nparts` of `count` elements: parts differ by one cache line at most, so that two
// ranks never write to one line of an aligned buffer.
constexpr Range slice_of(std::size_t count, std::size_t element_bytes, int part, int nparts) {
  const std::size_t unit = std::max(kLineBytes / element_bytes, std::size_t{1});
  const std::size_t units = (count + unit - 1) / unit;
  const auto n = static_cast<std::size_t>(nparts);
  const auto i = static_cast<std::size_t>(part);
  // units * i may be too large for the machine word: whole shares and the rest are split apart.
  const auto edge = [&](std::size_t k) {
    return std::min(count, (units / n * k + units % n * k / n) * unit);
  };
  return {edge(i), edge(i + 1) - edge(i)};
}

// The same offset of every rank's buffer, from rank 0 on: reductions add in one order on all ranks.
inline std::vector<Place> everywhere(int nranks, BufferKind buffer, std::size_t offset) {
  std::vector<Place> places;
  places.reserve(static_cast<std::size_t>(nranks));
  for (int rank = 0; rank < nranks; ++rank) places.push_back({rank, buffer, offset});
  return places;
}

// The same from rank `first` on, round about: no two ranks write to one peer at a time.
inline std::vector<Place> everywhere_from(int first, int nranks, BufferKind buffer,
                                          std::size_t offset) {
  std::vector<Place> places;
  places.reserve(static_cast<std::size_t>(nranks));
  for (int i = 0; i < nranks; ++i) places.push_back({(first + i) % nranks, buffer, offset});
  return places;
}

// A range cut into nearly equal pieces, so that a rank passes on one while the next one arrives.
class Pieces {
 public:
  // Of `count` elements: as many as keep each at kPieceBytes or above, at least one and at most
  // kMax.
  Pieces(std::size_t count, std::size_t element_bytes)
      : count_(count),
        element_bytes_(element_bytes),
        pieces_(static_cast<int>(
            std::clamp(count * element_bytes / kPieceBytes, std::size_t{1}, kMax))) {}

  std::uint32_t count() const { return static_cast<std::uint32_t>(pieces_); }
  Range operator[](std::uint32_t piece) const {
    return slice_of(count_, element_bytes_, static_cast<int>(piece), pieces_);
  }
  // Elements of the largest one.
  std::size_t largest() const {
    std::size_t most = 0;
    for (std::uint32_t i = 0; i < count(); ++i) most = std::max(most, (*this)[i].count);
    return most;
  }
  // As many pieces of another range.
  Pieces of(std::size_t count) const {
    Pieces others = *this;
    others.count_ = count;
    return others;
  }

 private:
  static constexpr std::size_t kPieceBytes = std::size_t{64} << 10;  // some fit any L2 cache
  static constexpr std::size_t kMax = 32;  // filling the pipeline costs 1/32 of the time per hop

  std::size_t count_;
  std::size_t element_bytes_;
  int pieces_;
};

}  // namespace linerate::host
