// How long a call takes on the virtual clock: the closed forms of alpha and bandwidth, and noise by
// counter, whose value depends on its coordinates only, not on who asks first.
#pragma once

#include "backends/fake/fake_options.h"
#include "base/splitmix.h"
#include "comm/op.h"

#include <cstdint>
#include <span>
#include <vector>

namespace linerate::fake {

constexpr std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return splitmix64(splitmix64(a) ^ b);
}

// In [0, 1).
constexpr double uniform(std::uint64_t bits) { return static_cast<double>(bits >> 11) * 0x1.0p-53; }

// Mean 0, deviation 1, within +-6: the sum of 12 uniforms. Unlike a logarithm it needs no library,
// so it is the same on every machine.
constexpr double normal(std::uint64_t bits) {
  double sum = -6;
  for (std::uint64_t i = 0; i < 12; ++i) sum += uniform(mixed(bits, i));
  return sum;
}

constexpr double kBarrierUs = 1.0;

// A message of S bytes over the link a-b takes alpha + S / (bw * factor(a, b)). With n ranks, S
// bytes of the whole buffer (count elements, times n where count is per rank):
//   all_reduce                  2 (n-1) messages of S/n around the ring 0, 1, …, n-1, 0
//   all_gather, reduce_scatter  n-1 messages of S/n around the ring
//   broadcast, reduce           n-1 latencies of the chain, and S once over its slowest link
//   gather, scatter             the root's messages with each other rank, one after the other
//   all_to_all, all_to_all_v    each rank's messages with each other rank, one after the other in
//                               both directions at once; the slowest rank counts
//   send, recv, send_recv       one message; every link carries both directions at full speed
// All steps of a ring or chain are as slow as its slowest link. One rank alone takes one message to
// itself. These are the usual Hockney forms (Thakur, Rabenseifner and Gropp 2005).
class TimeModel {
 public:
  // `ranks[r]` is what rank r of the communicator is called in the options.
  TimeModel(const FakeOptions& options, std::vector<int> ranks);

  // REQUIRES: one call per rank, in rank order, of one kind that is no send or recv.
  double collective_us(std::span<const Op* const> calls) const;
  double message_us(int source, int dest, double bytes) const;

  // What rank `rank` makes of a time in its call number `call`, noise included.
  double noisy_us(double exact_us, int rank, std::uint64_t call) const;
  // The factor of operation number `sequence` of a communicator: 1, or that of the slow mode.
  double mode(std::uint64_t stream, std::uint64_t sequence) const;
  // How late the rank comes out of a call or barrier.
  double lateness_us(int rank) const;

 private:
  double link_factor(int a, int b) const;
  double slowest_step() const;  // factor of the slowest link of the ring
  double exchange_us(std::span<const Op* const> calls, int rank) const;
  double rooted_us(int root, double bytes) const;

  FakeOptions options_;
  std::vector<int> ranks_;
  double ring_factor_;
};

}  // namespace linerate::fake
