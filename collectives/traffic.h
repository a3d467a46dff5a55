// Who sends how much to whom in all_to_all_v: weighted by distance, or read from a matrix of bytes.
#pragma once

#include "base/result.h"
#include "collectives/collective.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace linerate {

// Immutable, so any thread may read it. Parts lie one after the other in rank order in both
// buffers.
class TrafficMatrix {
 public:
  // Every rank sends nranks * count elements, of which `count` times w(d) go to the rank d places
  // after it (modulo nranks):
  //   w(d) = 1 - spread + spread * v(d),   v(d) ~ 1 / (1 + min(d, nranks - d)),   mean of v = 1.
  // spread 0 is uniform; at 1 the neighbours on the ring get most and the far side gets least.
  // Parts are multiples of the largest power of two up to 16 that divides `count`. All rows are
  // rotations of one, so every rank also receives nranks * count elements. REQUIRES: 0 <= spread <=
  // 1, nranks >= 1.
  static TrafficMatrix weighted(double spread, int nranks);

  // A square matrix of bytes: row src, column dst, a row a line, numbers between blanks, which may
  // have a point and an exponent. It has at least nranks rows; surplus rows and columns are left
  // out. Values are multiplied by `scale` and rounded down to 16 bytes. Anything else is refused by
  // what goes on behind the file's name and a colon: "line 3 holds 'x', which …".
  static Result<TrafficMatrix> parse(std::string_view text, int nranks, double scale);
  static constexpr std::size_t kMaxRows = 4096;
  static constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;

  // True when the sizes come from a matrix, not from -b and -e.
  bool fixed() const { return !bytes_.empty(); }

  // Elements of sizing.type from src to dst.
  std::size_t elements(const Sizing& sizing, int src, int dst) const;
  std::size_t sent(const Sizing& sizing, int src) const;
  std::size_t received(const Sizing& sizing, int dst) const;

  // Of rank sizing.rank, one range per peer.
  std::vector<Range> send_ranges(const Sizing& sizing) const;
  std::vector<Range> recv_ranges(const Sizing& sizing) const;
  // Where `src` keeps what it sends to `dst`: its send_ranges()[dst].offset.
  std::size_t send_offset(const Sizing& sizing, int src, int dst) const;

 private:
  explicit TrafficMatrix(int nranks) : nranks_(nranks) {}
  std::size_t up_to(std::size_t count, int distance) const;

  int nranks_;
  std::vector<double> shares_;  // weighted: shares_[d] = w(0) + … + w(d - 1), d = 0 … nranks
  std::vector<std::size_t> bytes_;            // fixed: nranks x nranks, row by row
  std::vector<std::size_t> sent_, received_;  // fixed: bytes of each rank
};

}  // namespace linerate
