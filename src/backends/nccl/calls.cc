#include "backends/nccl/calls.h"

#include "backends/nccl/endpoint.h"
#include "comm/op.h"

#include <array>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace linerate::nccl {
namespace {

// `value` as an element of `type`.
std::array<std::byte, 8> encoded(double value, DataType type) {
  std::array<std::byte, 8> bytes{};
  with_type(type, [&]<typename T>() {
    if constexpr (std::is_class_v<T>) {
      const T element(static_cast<float>(value));
      std::memcpy(bytes.data(), &element, sizeof element);
    } else {
      const auto element = static_cast<T>(value);
      std::memcpy(bytes.data(), &element, sizeof element);
    }
  });
  return bytes;
}

// mulsum's operator with this rank's factor, made and destroyed around the call as in nccl-tests:
// the call has taken what it needs when it returns.
class PreMulSum {
 public:
  PreMulSum(const Op& op, const Endpoint& endpoint) : endpoint_(endpoint) {
    auto factor = encoded(op.premul, op.type);
    endpoint_.check(endpoint_.api().red_op_create_pre_mul_sum(
                        &op_, factor.data(), static_cast<ncclDataType_t>(op.type),
                        ncclScalarHostImmediate, endpoint_.comm()),
                    "ncclRedOpCreatePreMulSum");
  }
  ~PreMulSum() { (void)endpoint_.api().red_op_destroy(op_, endpoint_.comm()); }
  PreMulSum(const PreMulSum&) = delete;
  PreMulSum& operator=(const PreMulSum&) = delete;

  ncclRedOp_t get() const { return op_; }

 private:
  const Endpoint& endpoint_;
  ncclRedOp_t op_ = ncclSum;
};

static_assert(static_cast<int>(DataType::int8) == ncclInt8);
static_assert(static_cast<int>(DataType::float32) == ncclFloat32);
static_assert(static_cast<int>(DataType::bfloat16) == ncclBfloat16);
static_assert(static_cast<int>(DataType::f8e5m2) == ncclFloat8e5m2);
static_assert(static_cast<int>(RedOp::sum) == ncclSum && static_cast<int>(RedOp::avg) == ncclAvg);

// Both enumerations are in one order.
ncclDataType_t type_of(const Op& op) { return static_cast<ncclDataType_t>(op.type); }

// NCCL's calls of one shape have one type.
using Reducing = decltype(NcclApi::all_reduce);
using Rooted = decltype(NcclApi::broadcast);
using Unrooted = decltype(NcclApi::all_gather);

void call(Rooted function, std::string_view name, const Op& op, const Target& target) {
  target.endpoint.check(function(op.send.data(), op.recv.data(), op.count, type_of(op), op.peer,
                                 target.endpoint.comm(), target.stream),
                        name);
}

void call(Unrooted function, std::string_view name, const Op& op, const Target& target) {
  target.endpoint.check(function(op.send.data(), op.recv.data(), op.count, type_of(op),
                                 target.endpoint.comm(), target.stream),
                        name);
}

// Calls body(operator), NCCL's for the reduction.
template <typename Body>
void with_red_op(const Op& op, const Endpoint& endpoint, const Body& body) {
  if (op.op != RedOp::mulsum) return body(static_cast<ncclRedOp_t>(op.op));
  const PreMulSum own(op, endpoint);
  body(own.get());
}

void call(Reducing function, std::string_view name, const Op& op, const Target& target) {
  with_red_op(op, target.endpoint, [&](ncclRedOp_t red_op) {
    target.endpoint.check(function(op.send.data(), op.recv.data(), op.count, type_of(op), red_op,
                                   target.endpoint.comm(), target.stream),
                          name);
  });
}

void reduce(const Op& op, const Target& target) {
  const auto& [endpoint, stream, rank, nranks] = target;
  with_red_op(op, endpoint, [&](ncclRedOp_t red_op) {
    endpoint.check(endpoint.api().reduce(op.send.data(), op.recv.data(), op.count, type_of(op),
                                         red_op, op.peer, endpoint.comm(), stream),
                   "ncclReduce");
  });
}

// Sends and receives that run at once.
template <typename Messages>
void at_once(const Target& target, Messages messages) {
  NcclGroup group(target.endpoint.api(), target.endpoint);
  group.start();
  messages();
  group.end();
}

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

// Of calls that came with 2.28 the library may have none: then they are messages.
void gather(const Op& op, const Target& target) {
  const auto native = target.endpoint.api().gather;
  if (native != nullptr) return call(native, "ncclGather", op, target);
  at_once(target, [&] {
    if (target.rank == op.peer)
      for (int from = 0; from < target.nranks; ++from)
        recv(op, op.recv.data() + block_at(op, from), op.count, from, target);
    send(op, op.send.data(), op.count, op.peer, target);
  });
}

void scatter(const Op& op, const Target& target) {
  const auto native = target.endpoint.api().scatter;
  if (native != nullptr) return call(native, "ncclScatter", op, target);
  at_once(target, [&] {
    if (target.rank == op.peer)
      for (int to = 0; to < target.nranks; ++to)
        send(op, op.send.data() + block_at(op, to), op.count, to, target);
    recv(op, op.recv.data(), op.count, op.peer, target);
  });
}

void all_to_all(const Op& op, const Target& target) {
  const auto native = target.endpoint.api().all_to_all;
  if (native != nullptr) return call(native, "ncclAlltoAll", op, target);
  at_once(target, [&] {
    for (int peer = 0; peer < target.nranks; ++peer) {
      send(op, op.send.data() + block_at(op, peer), op.count, peer, target);
      recv(op, op.recv.data() + block_at(op, peer), op.count, peer, target);
    }
  });
}

// Ranges without elements are left out on both sides, which agree on them.
void all_to_all_v(const Op& op, const Target& target) {
  const std::size_t bytes = bytes_of(op.type);
  at_once(target, [&] {
    for (int peer = 0; peer < target.nranks; ++peer) {
      const auto& out = op.send_ranges[static_cast<std::size_t>(peer)];
      const auto& in = op.recv_ranges[static_cast<std::size_t>(peer)];
      if (out.count > 0) send(op, op.send.data() + out.offset * bytes, out.count, peer, target);
      if (in.count > 0) recv(op, op.recv.data() + in.offset * bytes, in.count, peer, target);
    }
  });
}

void send_recv(const Op& op, const Target& target) {
  at_once(target, [&] {
    send(op, op.send.data(), op.count, op.peer, target);
    recv(op, op.recv.data(), op.count, op.source, target);
  });
}

}  // namespace

void enqueue(const Op& op, const Target& target) {
  const auto& api = target.endpoint.api();
  switch (op.kind) {
    case OpKind::all_reduce:
      return call(api.all_reduce, "ncclAllReduce", op, target);
    case OpKind::reduce_scatter:
      return call(api.reduce_scatter, "ncclReduceScatter", op, target);
    case OpKind::reduce:
      return reduce(op, target);
    case OpKind::all_gather:
      return call(api.all_gather, "ncclAllGather", op, target);
    case OpKind::broadcast:
      return call(api.broadcast, "ncclBroadcast", op, target);
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
