// See calls.h.
#include "backends/nccl/calls.h"

#include "backends/nccl/red_op.h"

#include <cassert>

namespace linerate::nccl {
namespace {

static_assert(static_cast<int>(DataType::int8) == ncclInt8);
static_assert(static_cast<int>(DataType::float32) == ncclFloat32);
static_assert(static_cast<int>(DataType::bfloat16) == ncclBfloat16);
static_assert(static_cast<int>(DataType::f8e5m2) == ncclFloat8e5m2);

// Both enumerations are in one order.
ncclDataType_t type_of(const Op& op) { return static_cast<ncclDataType_t>(op.type); }

// Sends and receives between start and end run at once.
class Fused {
 public:
  explicit Fused(const Target& target) : target_(target) {
    target_.endpoint.check(target_.endpoint.api().group_start(), "ncclGroupStart");
  }
  // NCCL wants an end for each start, whatever happened in between.
  ~Fused() {
    if (open_) (void)target_.endpoint.api().group_end();
  }
  Fused(const Fused&) = delete;
  Fused& operator=(const Fused&) = delete;

  void end() {
    open_ = false;
    target_.endpoint.check(target_.endpoint.api().group_end(), "ncclGroupEnd");
  }

 private:
  const Target& target_;
  bool open_ = true;
};

void send(const Op& op, const std::byte* from, std::size_t count, int peer, const Target& target) {
  const auto& api = target.endpoint.api();
  target.endpoint.check(
      api.send(from, count, type_of(op), peer, target.endpoint.comm(), target.stream), "ncclSend");
}

void recv(const Op& op, std::byte* to, std::size_t count, int peer, const Target& target) {
  const auto& api = target.endpoint.api();
  target.endpoint.check(
      api.recv(to, count, type_of(op), peer, target.endpoint.comm(), target.stream), "ncclRecv");
}

void reduce(const Op& op, const Target& target) {
  const auto& [endpoint, stream, rank, nranks] = target;
  const auto& api = endpoint.api();
  const RedOpHandle red_op(op, endpoint);
  switch (op.kind) {
    case OpKind::all_reduce:
      return endpoint.check(api.all_reduce(op.send.data(), op.recv.data(), op.count, type_of(op),
                                           red_op.get(), endpoint.comm(), stream),
                            "ncclAllReduce");
    case OpKind::reduce_scatter:
      return endpoint.check(api.reduce_scatter(op.send.data(), op.recv.data(), op.count,
                                               type_of(op), red_op.get(), endpoint.comm(), stream),
                            "ncclReduceScatter");
    default:
      return endpoint.check(api.reduce(op.send.data(), op.recv.data(), op.count, type_of(op),
                                       red_op.get(), op.peer, endpoint.comm(), stream),
                            "ncclReduce");
  }
}

void gather(const Op& op, const Target& target) {
  const auto& api = target.endpoint.api();
  if (api.gather != nullptr)
    return target.endpoint.check(api.gather(op.send.data(), op.recv.data(), op.count, type_of(op),
                                            op.peer, target.endpoint.comm(), target.stream),
                                 "ncclGather");
  Fused fused(target);
  if (target.rank == op.peer)
    for (int from = 0; from < target.nranks; ++from)
      recv(op, op.recv.data() + block_at(op, from), op.count, from, target);
  send(op, op.send.data(), op.count, op.peer, target);
  fused.end();
}

void scatter(const Op& op, const Target& target) {
  const auto& api = target.endpoint.api();
  if (api.scatter != nullptr)
    return target.endpoint.check(api.scatter(op.send.data(), op.recv.data(), op.count, type_of(op),
                                             op.peer, target.endpoint.comm(), target.stream),
                                 "ncclScatter");
  Fused fused(target);
  if (target.rank == op.peer)
    for (int to = 0; to < target.nranks; ++to)
      send(op, op.send.data() + block_at(op, to), op.count, to, target);
  recv(op, op.recv.data(), op.count, op.peer, target);
  fused.end();
}

void all_to_all(const Op& op, const Target& target) {
  const auto& api = target.endpoint.api();
  if (api.all_to_all != nullptr)
    return target.endpoint.check(api.all_to_all(op.send.data(), op.recv.data(), op.count,
                                                type_of(op), target.endpoint.comm(), target.stream),
                                 "ncclAlltoAll");
  Fused fused(target);
  for (int peer = 0; peer < target.nranks; ++peer) {
    send(op, op.send.data() + block_at(op, peer), op.count, peer, target);
    recv(op, op.recv.data() + block_at(op, peer), op.count, peer, target);
  }
  fused.end();
}

// Ranges without elements are left out on both sides, which agree on them.
void all_to_all_v(const Op& op, const Target& target) {
  const std::size_t bytes = bytes_of(op.type);
  Fused fused(target);
  for (int peer = 0; peer < target.nranks; ++peer) {
    const auto& out = op.send_ranges[static_cast<std::size_t>(peer)];
    const auto& in = op.recv_ranges[static_cast<std::size_t>(peer)];
    if (out.count > 0) send(op, op.send.data() + out.offset * bytes, out.count, peer, target);
    if (in.count > 0) recv(op, op.recv.data() + in.offset * bytes, in.count, peer, target);
  }
  fused.end();
}

void send_recv(const Op& op, const Target& target) {
  Fused fused(target);
  send(op, op.send.data(), op.count, op.peer, target);
  recv(op, op.recv.data(), op.count, op.source, target);
  fused.end();
}

}  // namespace

void enqueue(const Op& op, const Target& target) {
  const auto& [endpoint, stream, rank, nranks] = target;
  const auto& api = endpoint.api();
  switch (op.kind) {
    case OpKind::all_reduce:
    case OpKind::reduce_scatter:
    case OpKind::reduce:
      return reduce(op, target);
    case OpKind::all_gather:
      return endpoint.check(api.all_gather(op.send.data(), op.recv.data(), op.count, type_of(op),
                                           endpoint.comm(), stream),
                            "ncclAllGather");
    case OpKind::broadcast:
      return endpoint.check(api.broadcast(op.send.data(), op.recv.data(), op.count, type_of(op),
                                          op.peer, endpoint.comm(), stream),
                            "ncclBroadcast");
    case OpKind::gather:
      return gather(op, target);
    case OpKind::scatter:
      return scatter(op, target);
    case OpKind::all_to_all:
      return all_to_all(op, target);
    case OpKind::all_to_all_v:
      return all_to_all_v(op, target);
    case OpKind::send:
      return send(op, op.send.data(), op.count, op.peer, target);
    case OpKind::recv:
      return recv(op, op.recv.data(), op.count, op.peer, target);
    case OpKind::send_recv:
      return send_recv(op, target);
  }
}

}  // namespace linerate::nccl
