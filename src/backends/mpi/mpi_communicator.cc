#include "backends/mpi/mpi_communicator.h"

#include "base/error.h"
#include "devices/cpu/reduce.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>
#include <utility>

namespace linerate::mpi {
namespace {

constexpr int kTag = 0;

// The largest block that divides the offsets and counts of all ranges that are not empty.
std::size_t common_unit(std::span<const Range> ranges) {
  std::size_t unit = 0;
  for (const auto& range : ranges)
    if (range.count > 0) unit = std::gcd(unit, std::gcd(range.offset, range.count));
  return unit;
}

}  // namespace

MpiCommunicator::MpiCommunicator(OwnedComm comm, const Setup& setup)
    : comm_(std::move(comm)), setup_(setup) {
  if (!setup_.thread_multiple) call_on_caller();
  MPI_TRY(MPI_Comm_rank(comm_.get(), &rank_));
  MPI_TRY(MPI_Comm_size(comm_.get(), &nranks_));
  const auto n = static_cast<std::size_t>(nranks_);
  block_limit_ = std::max<std::size_t>(1, setup_.limit / n);
  for (Side* side : {&sends_, &recvs_}) {
    side->counts.resize(n);
    side->offsets.resize(n);
  }
}

void MpiCommunicator::begin() {
  begin_call();
  if (aborted_.load(std::memory_order_relaxed)) throw Aborted("The communicator was aborted.");
}

void MpiCommunicator::call(const Op& op, Stream& /*stream*/) {
  assert(has_its_extent(op, rank_, nranks_));
  begin();
  switch (op.kind) {
    case OpKind::all_reduce:
      return all_reduce(op);
    case OpKind::all_gather:
      return all_gather(op);
    case OpKind::reduce_scatter:
      return reduce_scatter(op);
    case OpKind::broadcast:
      return broadcast(op);
    case OpKind::reduce:
      return reduce(op);
    case OpKind::all_to_all:
      return all_to_all(op);
    case OpKind::all_to_all_v:
      return all_to_all_v(op);
    case OpKind::gather:
      return gather(op);
    case OpKind::scatter:
      return scatter(op);
    case OpKind::send: {
      const auto e = whole(op);
      return MPI_TRY(MPI_Send(op.send.data(), e.count(), e.type(), op.peer, kTag, comm_.get()));
    }
    case OpKind::recv: {
      const auto e = whole(op);
      return MPI_TRY(MPI_Recv(op.recv.data(), e.count(), e.type(), op.peer, kTag, comm_.get(),
                              MPI_STATUS_IGNORE));
    }
    case OpKind::send_recv:
      return send_recv(op);
  }
}

const std::byte* MpiCommunicator::input(const Op& op, std::size_t count) {
  if (op.op != RedOp::mulsum) return op.send.data();
  std::byte* const copy = grow(multiplied_, count * bytes_of(op.type), setup_.device);
  multiply(copy, op, count);
  return copy;
}

// MPI's own operators take its own types only, so larger counts go in pieces.
void MpiCommunicator::all_reduce(const Op& op) {
  const std::byte* const send = input(op, op.count);
  std::size_t done = 0;
  do {
    const std::size_t count = std::min(op.count - done, setup_.limit);
    const std::size_t at = done * bytes_of(op.type);
    const void* const from = send == op.recv.data() ? MPI_IN_PLACE : send + at;
    MPI_TRY(MPI_Allreduce(from, op.recv.data() + at, static_cast<int>(count), type(op), mpi_op(op),
                          comm_.get()));
    done += count;
  } while (done < op.count);
  finish_average(op, op.recv.data(), nranks_);
}

void MpiCommunicator::reduce_to(const Op& op, int root, const std::byte* send, std::byte* recv) {
  std::size_t done = 0;
  do {
    const std::size_t count = std::min(op.count - done, setup_.limit);
    const std::size_t at = done * bytes_of(op.type);
    const bool replaces = rank_ == root && send == recv;
    const void* const from = replaces ? MPI_IN_PLACE : send + at;
    std::byte* const to = rank_ == root ? recv + at : nullptr;
    MPI_TRY(MPI_Reduce(from, to, static_cast<int>(count), type(op), mpi_op(op), root, comm_.get()));
    done += count;
  } while (done < op.count);
  if (rank_ == root) finish_average(op, recv, nranks_);
}

void MpiCommunicator::reduce(const Op& op) {
  reduce_to(op, op.peer, input(op, op.count), op.recv.data());
}

void MpiCommunicator::reduce_scatter(const Op& op) {
  const auto n = static_cast<std::size_t>(nranks_);
  const std::size_t bytes = op.count * bytes_of(op.type);
  const std::byte* const send = input(op, n * op.count);
  if (op.count > block_limit_) {
    for (int root = 0; root < nranks_; ++root)
      reduce_to(op, root, send + static_cast<std::size_t>(root) * bytes, op.recv.data());
    return;
  }
  const bool inside = send == op.send.data() && own_send_block(op) == op.recv.data();
  std::byte* const to = inside ? grow(result_, bytes, setup_.device) : op.recv.data();
  MPI_TRY(MPI_Reduce_scatter_block(send, to, static_cast<int>(op.count), type(op), mpi_op(op),
                                   comm_.get()));
  if (inside && bytes > 0) std::memcpy(op.recv.data(), to, bytes);
  finish_average(op, op.recv.data(), nranks_);
}

void MpiCommunicator::all_gather(const Op& op) {
  const auto e = block(op);
  const bool inside = own_recv_block(op) == op.send.data();
  MPI_TRY(MPI_Allgather(inside ? MPI_IN_PLACE : op.send.data(), e.count(), e.type(), op.recv.data(),
                        e.count(), e.type(), comm_.get()));
}

// MPI has one buffer: the root's input goes out from where it lies, and is then copied at home.
void MpiCommunicator::broadcast(const Op& op) {
  const auto e = whole(op);
  const bool root = rank_ == op.peer;
  void* const buffer = root ? const_cast<std::byte*>(op.send.data()) : op.recv.data();
  MPI_TRY(MPI_Bcast(buffer, e.count(), e.type(), op.peer, comm_.get()));
  if (root && !in_place(op) && op.count > 0)
    std::memcpy(op.recv.data(), op.send.data(), op.count * bytes_of(op.type));
}

void MpiCommunicator::gather(const Op& op) {
  const auto e = block(op);
  const bool inside = rank_ == op.peer && own_recv_block(op) == op.send.data();
  MPI_TRY(MPI_Gather(inside ? MPI_IN_PLACE : op.send.data(), e.count(), e.type(), op.recv.data(),
                     e.count(), e.type(), op.peer, comm_.get()));
}

void MpiCommunicator::scatter(const Op& op) {
  const auto e = block(op);
  const bool inside = rank_ == op.peer && own_send_block(op) == op.recv.data();
  MPI_TRY(MPI_Scatter(op.send.data(), e.count(), e.type(), inside ? MPI_IN_PLACE : op.recv.data(),
                      e.count(), e.type(), op.peer, comm_.get()));
}

void MpiCommunicator::all_to_all(const Op& op) {
  const auto e = block(op);
  MPI_TRY(MPI_Alltoall(in_place(op) ? MPI_IN_PLACE : op.send.data(), e.count(), e.type(),
                       op.recv.data(), e.count(), e.type(), comm_.get()));
}

// Fills `side` and yields its unit: one element, or the common unit where offsets do not fit MPI's
// int. Each rank may choose its own: MPI matches the elements inside.
Elements MpiCommunicator::describe(const Op& op, std::span<const Range> ranges, Side& side) const {
  const std::size_t end = end_of(ranges);
  const std::size_t unit = end > setup_.limit ? common_unit(ranges) : 1;
  if (end / unit > setup_.limit)
    throw Error(
        fmt::format("all_to_all_v of {} {} elements on rank {}: MPI_Alltoallv counts to {}, "
                    "and these offsets have no larger common unit.",
                    end, name_of(op.type), rank_, setup_.limit));
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    const bool empty = ranges[r].count == 0;
    side.counts[r] = static_cast<int>(ranges[r].count / unit);
    side.offsets[r] = empty ? 0 : static_cast<int>(ranges[r].offset / unit);
  }
  return Elements::as_one(type(op), unit);
}

void MpiCommunicator::all_to_all_v(const Op& op) {
  const auto out = describe(op, op.send_ranges, sends_);
  const auto in = describe(op, op.recv_ranges, recvs_);
  MPI_TRY(MPI_Alltoallv(op.send.data(), sends_.counts.data(), sends_.offsets.data(), out.type(),
                        op.recv.data(), recvs_.counts.data(), recvs_.offsets.data(), in.type(),
                        comm_.get()));
}

void MpiCommunicator::send_recv(const Op& op) {
  const auto e = whole(op);
  MPI_TRY(MPI_Sendrecv(op.send.data(), e.count(), e.type(), op.peer, kTag, op.recv.data(),
                       e.count(), e.type(), op.source, kTag, comm_.get(), MPI_STATUS_IGNORE));
}

std::unique_ptr<Communicator> MpiCommunicator::split(int color, int key) {
  settle();
  auto part = mpi::split(comm_.get(), color, key);
  if (!part) return nullptr;
  return std::make_unique<MpiCommunicator>(std::move(part), setup_);
}

// Receives are there before the sends that may match them.
void MpiCommunicator::call_batch(std::span<const Op> ops, Stream& /*stream*/) {
  begin();
  requests_.clear();
  for (const Op& op : ops)
    if (op.kind != OpKind::send) {
      const auto e = whole(op);
      MPI_TRY(MPI_Irecv(op.recv.data(), e.count(), e.type(),
                        op.kind == OpKind::recv ? op.peer : op.source, kTag, comm_.get(),
                        &requests_.emplace_back(MPI_REQUEST_NULL)));
    }
  for (const Op& op : ops)
    if (op.kind != OpKind::recv) {
      const auto e = whole(op);
      MPI_TRY(MPI_Isend(op.send.data(), e.count(), e.type(), op.peer, kTag, comm_.get(),
                        &requests_.emplace_back(MPI_REQUEST_NULL)));
    }
  MPI_TRY(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE));
}

void MpiCommunicator::barrier() {
  settle();
  begin();
  MPI_TRY(MPI_Barrier(comm_.get()));
}

}  // namespace linerate::mpi
