#include "backends/fake/time_model.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace linerate::fake {
namespace {

constexpr double kMinNoisy = 0.1;  // of the exact time: noise never turns time round
constexpr double kUsPerByteAtOneGbps = 1e-3;

enum class Purpose : std::uint64_t { noise = 1, mode = 2 };

std::uint64_t draw(std::uint64_t seed, Purpose purpose, std::uint64_t a, std::uint64_t b) {
  return mixed(mixed(mixed(seed, static_cast<std::uint64_t>(purpose)), a), b);
}

}  // namespace

TimeModel::TimeModel(const FakeOptions& options, std::vector<int> ranks)
    : options_(options), ranks_(std::move(ranks)), ring_factor_(slowest_step()) {}

double TimeModel::link_factor(int a, int b) const {
  const int x = ranks_[static_cast<std::size_t>(a)];
  const int y = ranks_[static_cast<std::size_t>(b)];
  double factor = 1;
  for (const auto& slow : options_.slow_links)
    if ((slow.a == x && slow.b == y) || (slow.a == y && slow.b == x)) factor *= slow.factor;
  return factor;
}

double TimeModel::slowest_step() const {
  const int n = static_cast<int>(ranks_.size());
  double slowest = 1;
  for (int rank = 0; rank < n; ++rank)
    slowest = std::min(slowest, link_factor(rank, (rank + 1) % n));
  return slowest;
}

double TimeModel::message_us(int source, int dest, double bytes) const {
  return options_.alpha_us +
         bytes * kUsPerByteAtOneGbps / (options_.link_gbps * link_factor(source, dest));
}

double TimeModel::rooted_us(int root, double bytes) const {
  double sum = 0;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank)
    if (rank != root) sum += message_us(root, rank, bytes);
  return sum;
}

double TimeModel::exchange_us(std::span<const Op* const> calls, int rank) const {
  const Op& op = *calls[static_cast<std::size_t>(rank)];
  double sum = 0;
  for (int peer = 0; peer < static_cast<int>(ranks_.size()); ++peer) {
    if (peer == rank) continue;
    std::size_t elements = op.count;
    if (op.kind == OpKind::all_to_all_v) {
      const auto p = static_cast<std::size_t>(peer);
      elements = std::max(op.send_ranges[p].count, op.recv_ranges[p].count);
    }
    sum += message_us(rank, peer, static_cast<double>(elements * bytes_of(op.type)));
  }
  return sum;
}

double TimeModel::collective_us(std::span<const Op* const> calls) const {
  const int n = static_cast<int>(ranks_.size());
  assert(static_cast<int>(calls.size()) == n);
  const Op& op = *calls[0];
  const double bytes = static_cast<double>(op.count * bytes_of(op.type));
  if (n == 1) return message_us(0, 0, bytes);
  const double us_per_byte = kUsPerByteAtOneGbps / (options_.link_gbps * ring_factor_);
  switch (op.kind) {
    case OpKind::all_reduce:
      return 2 * (n - 1) * (options_.alpha_us + bytes / n * us_per_byte);
    case OpKind::all_gather:
    case OpKind::reduce_scatter:
      return (n - 1) * (options_.alpha_us + bytes * us_per_byte);
    case OpKind::broadcast:
    case OpKind::reduce:
      return (n - 1) * options_.alpha_us + bytes * us_per_byte;
    case OpKind::gather:
    case OpKind::scatter:
      return rooted_us(op.peer, bytes);
    case OpKind::all_to_all:
    case OpKind::all_to_all_v: {
      double slowest = 0;
      for (int rank = 0; rank < n; ++rank) slowest = std::max(slowest, exchange_us(calls, rank));
      return slowest;
    }
    case OpKind::send:
    case OpKind::recv:
    case OpKind::send_recv:
      break;
  }
  assert(false && "messages are timed by message_us");
  return 0;
}

double TimeModel::noisy_us(double exact_us, int rank, std::uint64_t call) const {
  if (options_.noise <= 0) return exact_us;
  const auto name = static_cast<std::uint64_t>(ranks_[static_cast<std::size_t>(rank)]);
  const double factor =
      1 + options_.noise * normal(draw(options_.seed, Purpose::noise, name, call));
  return exact_us * std::max(factor, kMinNoisy);
}

double TimeModel::mode(std::uint64_t stream, std::uint64_t sequence) const {
  if (!options_.bimodal) return 1;
  const double u = uniform(draw(options_.seed, Purpose::mode, stream, sequence));
  return u < options_.bimodal->fraction ? options_.bimodal->factor : 1;
}

double TimeModel::lateness_us(int rank) const {
  double late = 0;
  for (const auto& slow : options_.slow_ranks)
    if (slow.rank == ranks_[static_cast<std::size_t>(rank)]) late += slow.extra_us;
  return late;
}

}  // namespace linerate::fake
