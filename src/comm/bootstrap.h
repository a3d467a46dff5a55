// Out-of-band exchange between the members of a job: never the thing that is measured.
#pragma once

#include "base/clock.h"
#include "base/error.h"
#include "base/wire.h"

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace linerate {

using Bytes = std::vector<std::byte>;

// Where a member runs. Two members share a node when boot id and network namespace are equal:
// hostnames lie (containers, clones).
struct NodePlace {
  std::string hostname;  // for people
  std::string identity;  // boot id + network namespace
  int node = 0;          // index of the node, in order of its lowest member
  int nnodes = 1;
  int local_rank = 0;  // this member's index among those of its node
  int local_nranks = 1;
};

// One member's endpoint. Calls that take a deadline are made by one thread at a time, and but for
// exchange(), which is between two members, they are collective over all, in the same order on
// each. A lost member or a passed deadline throws PeerFailure or TimeoutError on every member that
// waits. Costs grow with log(nranks), but for the bytes that the caller asks for.
class Bootstrap {
 public:
  virtual ~Bootstrap() = default;

  virtual int rank() const = 0;
  virtual int nranks() const = 0;
  virtual const NodePlace& place() const = 0;

  virtual void barrier(const Deadline& deadline) = 0;
  // Yields root's bytes on every member; `mine` counts on root only.
  virtual Bytes broadcast(std::span<const std::byte> mine, int root, const Deadline& deadline) = 0;
  // Yields every member's bytes, in rank order; on others than rank 0 `gather` yields nothing.
  // Lengths may differ between members.
  virtual std::vector<Bytes> gather(std::span<const std::byte> mine, const Deadline& deadline) = 0;
  virtual std::vector<Bytes> all_gather(std::span<const std::byte> mine,
                                        const Deadline& deadline) = 0;

  // Swaps bytes with one other member: both call it, with each other's rank. The two must be
  // neighbours in the tree: one is tree_parent() of the other. Each process has one member; throws
  // Error where threads are members.
  virtual Bytes exchange(int peer, std::span<const std::byte> mine, const Deadline& deadline) = 0;

  // Members of one colour form a new bootstrap, ordered by (key, rank); null for colour < 0.
  virtual std::unique_ptr<Bootstrap> split(int color, int key, const Deadline& deadline) = 0;

  // Ends the whole job with `code`, from any thread, without unwinding: the last resort of a rank
  // that cannot return. Does not return.
  [[noreturn]] virtual void abort(ExitCode code) noexcept = 0;
};

// The tree over ranks 0..nranks-1 that exchange() and the O(log n) calls follow; rank > 0.
constexpr int tree_parent(int rank) { return (rank - 1) / 2; }
inline std::vector<int> tree_children(int rank, int nranks) {
  std::vector<int> children{2 * rank + 1, 2 * rank + 2};
  std::erase_if(children, [&](int child) { return child >= nranks; });
  return children;
}

// All of a message. Throws PeerFailure where it is shorter or longer.
template <typename T>
T read_whole(std::span<const std::byte> bytes) {
  WireReader reader(bytes);
  T value = reader.get<T>();
  reader.finish();
  return value;
}

// Every member's value, in the order of their ranks. Collective. T is what WireWriter can put.
template <typename T>
std::vector<T> all_values(Bootstrap& bootstrap, const T& mine, const Deadline& deadline) {
  std::vector<T> values;
  for (const Bytes& bytes : bootstrap.all_gather(WireWriter().put(mine).bytes(), deadline))
    values.push_back(read_whole<T>(bytes));
  return values;
}

// Rank 0's value, on every member. Collective. T as above.
template <typename T>
T value_of_rank_0(Bootstrap& bootstrap, const T& mine, const Deadline& deadline) {
  const Bytes told = bootstrap.broadcast(WireWriter().put(mine).bytes(), 0, deadline);
  return read_whole<T>(told);
}

}  // namespace linerate
