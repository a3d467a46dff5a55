// One request to a communicator.
#pragma once

#include "comm/buffer.h"
#include "comm/data_type.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

enum class OpKind : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  all_to_all,
  all_to_all_v,
  gather,
  scatter,
  send,
  recv,
  send_recv,  // send to `peer` and receive from `source` at once
};
inline constexpr std::size_t kOpKinds = 12;

constexpr bool is_between_two(OpKind kind) {
  return kind == OpKind::send || kind == OpKind::recv || kind == OpKind::send_recv;
}
// What calls of a kind are like; false for all_to_all_v and for calls between two ranks.
constexpr bool is_reduction(OpKind kind) {
  return kind == OpKind::all_reduce || kind == OpKind::reduce_scatter || kind == OpKind::reduce;
}
constexpr bool is_rooted(OpKind kind) {
  return kind == OpKind::broadcast || kind == OpKind::reduce || kind == OpKind::gather ||
         kind == OpKind::scatter;
}
// The send, or the recv buffer (of the root, if any) holds a block of `count` for each rank.
constexpr bool sends_blocks(OpKind kind) {
  return kind == OpKind::reduce_scatter || kind == OpKind::scatter || kind == OpKind::all_to_all;
}
constexpr bool receives_blocks(OpKind kind) {
  return kind == OpKind::all_gather || kind == OpKind::gather || kind == OpKind::all_to_all;
}

std::string_view name_of(OpKind kind);

// Who asked and why: for traces and accounting.
struct Tag {
  std::string_view axis{};
  std::string_view purpose{};
};

// `count` is in elements and means what it means in NCCL:
//   all_reduce, broadcast, reduce, send, recv, send_recv: elements of the buffer
//   all_gather, gather: elements that each rank contributes (recv holds nranks times as many)
//   reduce_scatter, scatter: elements that each rank receives (send holds nranks times as many)
//   all_to_all: elements between each pair of ranks
//   all_to_all_v: unused; send_ranges[r] goes to rank r, recv_ranges[r] comes from it
// In place: all_reduce, broadcast, reduce, all_to_all with send == recv; all_gather with
// send == recv + rank * count; reduce_scatter with recv == send + rank * count; gather (root) like
// all_gather and scatter (root) like reduce_scatter. Other overlaps are undefined.
// Only the root's recv of reduce and gather, and only the root's send of broadcast and scatter are
// used; the others may be empty.
struct Op {
  OpKind kind = OpKind::all_reduce;
  ConstView send{};
  View recv{};
  std::size_t count = 0;
  DataType type = DataType::float32;
  RedOp op = RedOp::sum;
  double premul = 1.0;  // mulsum: this rank's factor
  int peer = 0;         // root, or the rank sent to or received from
  int source = 0;       // send_recv: the rank received from
  std::span<const Range> send_ranges{};
  std::span<const Range> recv_ranges{};
  Tag tag{};
};

// Bytes of the two buffers that a rank's call uses.
struct Extent {
  std::size_t send = 0;
  std::size_t recv = 0;
};

// What `op` uses on rank `rank` of `nranks`: the least that its views must hold. Longer ones are
// allowed, and nothing behind the extent is touched.
Extent extent_of(const Op& op, int rank, int nranks);
bool has_its_extent(const Op& op, int rank, int nranks);

// Elements from the start of the buffer to the end of the last range that is not empty.
std::size_t end_of(std::span<const Range> ranges);

// Ranges of so many elements, each behind the one before.
std::vector<Range> consecutive(std::span<const std::size_t> counts);

// Bytes of `count` elements.
inline std::size_t bytes_of_count(const Op& op) { return op.count * bytes_of(op.type); }

// Where the block of `rank` begins in a buffer of one such block per rank, in bytes.
inline std::size_t block_at(const Op& op, int rank) {
  return static_cast<std::size_t>(rank) * bytes_of_count(op);
}

// Names are the backend's own words: "ring" of the host backend, "RING" and "LL128" of NCCL.
struct CallFacts {
  std::string algorithm{};  // empty: unknown, or not a collective
  std::string protocol{};   // empty: unknown, or the backend has none
  int channels = 0;         // that it ran on; 0: unknown, or the backend has none
  bool lost = false;        // the backend told, but something of it could not be recorded

  bool operator==(const CallFacts&) const = default;
};

}  // namespace linerate
