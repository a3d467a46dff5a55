// Who sends how much to whom in all_to_all_v: weighted by distance, or read from a matrix of bytes.
#pragma once

#include "base/result.h"
#include "collectives/collective.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace linerate {

// Immutable. Blocks lie one after the other in rank order in both buffers.
class TrafficMatrix {
 public:
  // Of `count` elements per pair on average, the block for the rank at distance d = dst - src (mod
  // n) has count * (1 - spread + spread * 2 (d + 1) / (n + 1)) elements, rounded down: 0 is
  // uniform, at 1 the farthest rank gets n times as much as the rank itself. REQUIRES: 0 <= spread
  // <= 1.
  static TrafficMatrix weighted(double spread, int nranks);

  // Bytes of row src, column dst, from whitespace-separated text with at least nranks rows of equal
  // length, at least nranks; surplus rows and columns are left out. Values are multiplied by
  // `scale` and rounded down to 16 bytes. The sentence of a failure names the line.
  static Result<TrafficMatrix> parse(std::string_view text, int nranks, double scale);

  // True when the sizes come from a matrix, not from -b and -e.
  bool fixed() const { return !bytes_.empty(); }

  // Elements of sizing.type from src to dst.
  std::size_t elements(const Sizing& sizing, int src, int dst) const;
  std::size_t sent(const Sizing& sizing, int src) const;
  std::size_t received(const Sizing& sizing, int dst) const;
  // The most elements that any rank sends or receives.
  std::size_t busiest(const Sizing& sizing) const;

  // Of rank sizing.rank, one range per peer.
  std::vector<Range> send_ranges(const Sizing& sizing) const;
  std::vector<Range> recv_ranges(const Sizing& sizing) const;

 private:
  TrafficMatrix(double spread, int nranks, std::vector<std::size_t> bytes);

  double spread_;
  int nranks_;
  std::vector<std::size_t> bytes_;  // nranks x nranks, row by row; empty when weighted
};

}  // namespace linerate
