// See traffic.h; the matrix is read in traffic_text.cc.
#include "collectives/traffic.h"

#include <algorithm>
#include <cassert>

namespace linerate {
namespace {

std::size_t at(int index) { return static_cast<std::size_t>(index); }

double closeness(int distance, int nranks) {
  return 1.0 / (1 + std::min(distance, nranks - distance));
}

template <typename ElementsOf>
std::vector<Range> consecutive(int nranks, ElementsOf elements_of) {
  std::vector<Range> ranges;
  std::size_t offset = 0;
  for (int peer = 0; peer < nranks; ++peer) {
    ranges.push_back({offset, elements_of(peer)});
    offset += ranges.back().count;
  }
  return ranges;
}

}  // namespace

TrafficMatrix TrafficMatrix::weighted(double spread, int nranks) {
  assert(nranks >= 1 && spread >= 0 && spread <= 1);
  TrafficMatrix matrix(nranks);
  double sum = 0;
  for (int d = 0; d < nranks; ++d) sum += closeness(d, nranks);
  auto& shares = matrix.shares_;
  shares.push_back(0);
  for (int d = 0; d < nranks; ++d)
    shares.push_back(shares.back() + 1 - spread + spread * closeness(d, nranks) * nranks / sum);
  shares.back() = nranks;  // exactly, whatever was rounded on the way
  return matrix;
}

// Elements for the ranks at distances 0 … distance - 1.
std::size_t TrafficMatrix::up_to(std::size_t count, int distance) const {
  constexpr std::size_t kGrain = 16;
  const std::size_t grain = std::min(count & (~count + 1), kGrain);
  if (grain == 0) return 0;
  const std::size_t grains = count / grain;
  return static_cast<std::size_t>(shares_[at(distance)] * static_cast<double>(grains)) * grain;
}

std::size_t TrafficMatrix::elements(const Sizing& sizing, int src, int dst) const {
  if (fixed()) return bytes_[at(src) * at(nranks_) + at(dst)] / bytes_of(sizing.type);
  const int distance = (dst - src + nranks_) % nranks_;
  return up_to(sizing.count, distance + 1) - up_to(sizing.count, distance);
}

std::size_t TrafficMatrix::sent(const Sizing& sizing, int src) const {
  return fixed() ? sent_[at(src)] / bytes_of(sizing.type) : sizing.count * at(nranks_);
}

std::size_t TrafficMatrix::received(const Sizing& sizing, int dst) const {
  return fixed() ? received_[at(dst)] / bytes_of(sizing.type) : sizing.count * at(nranks_);
}

std::size_t TrafficMatrix::busiest(const Sizing& sizing) const {
  std::size_t most = 0;
  for (int rank = 0; rank < nranks_; ++rank)
    most = std::max({most, sent(sizing, rank), received(sizing, rank)});
  return most;
}

std::vector<Range> TrafficMatrix::send_ranges(const Sizing& sizing) const {
  return consecutive(nranks_, [&](int dst) { return elements(sizing, sizing.rank, dst); });
}

std::vector<Range> TrafficMatrix::recv_ranges(const Sizing& sizing) const {
  return consecutive(nranks_, [&](int src) { return elements(sizing, src, sizing.rank); });
}

std::size_t TrafficMatrix::send_offset(const Sizing& sizing, int src, int dst) const {
  std::size_t offset = 0;
  for (int peer = 0; peer < dst; ++peer) offset += elements(sizing, src, peer);
  return offset;
}

}  // namespace linerate
