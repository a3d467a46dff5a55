// One process' endpoint over MPI: each call is one blocking call of MPI wherever MPI has one.
#pragma once

#include "backends/mpi/library.h"
#include "backends/mpi/mpi_api.h"
#include "backends/mpi/type_table.h"
#include "comm/call_order.h"

#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace linerate::mpi {

// Beside MPI's own call: avg divides afterwards; mulsum multiplies into a copy first;
// reduce_scatter in place goes through a copy, because MPI would leave the result at the start of
// the buffer. Copies live in scratch memory that grows at the first call of a size, the warm-up,
// and is kept. Counts above `limit` go in pieces, or as one element of a larger type. abort()
// cannot reach a blocked call.
// On async streams MPI is called from their workers, which takes MPI_THREAD_MULTIPLE. An MPI that
// gives less gets its calls from the thread that enqueues them, after the work before them on their
// stream: the same results, and nothing beside anything.
class MpiCommunicator final : public BlockingCommunicator<MpiCommunicator> {
 public:
  struct Setup {
    Device& device;          // outlives the communicator
    const TypeTable& table;  // likewise
    std::size_t limit;       // largest count that a call of MPI takes
    bool several_hosts = false;
    bool thread_multiple = true;  // MPI_THREAD_MULTIPLE is given
  };
  MpiCommunicator(OwnedComm comm, const Setup& setup);
  ~MpiCommunicator() override { end_calls(); }

  int rank() const override { return rank_; }
  int nranks() const override { return nranks_; }
  Device& device() override { return setup_.device; }

  void call(const Op& op, Stream& stream);
  void call_batch(std::span<const Op> ops, Stream& stream);
  Buffer allocate(std::size_t bytes, MemoryKind kind) override {
    return setup_.device.allocate(bytes, kind);
  }
  std::unique_ptr<Communicator> split(int color, int key) override;
  void barrier() override;
  void abort() noexcept override { aborted_.store(true, std::memory_order_relaxed); }

 private:
  std::string transport() const override { return setup_.several_hosts ? carrier() : "MPI"; }
  void begin();

  // One side of an all_to_all_v, as MPI_Alltoallv takes it.
  struct Side {
    std::vector<int> counts, offsets;  // one for each rank, in units of the type
  };

  bool in_place(const Op& op) const { return op.send.data() == op.recv.data(); }
  // recv + rank * count, and send + rank * count: where in place puts this rank's own block.
  const std::byte* own_recv_block(const Op& op) const {
    return op.recv.data() + block_at(op, rank_);
  }
  const std::byte* own_send_block(const Op& op) const {
    return op.send.data() + block_at(op, rank_);
  }
  MPI_Datatype type(const Op& op) const { return setup_.table.type(op.type); }
  MPI_Op mpi_op(const Op& op) const { return setup_.table.op(op.type, op.op); }
  // The buffer of a call without ranks' blocks, and one block of nranks.
  Elements whole(const Op& op) const { return {type(op), op.count, setup_.limit}; }
  Elements block(const Op& op) const { return {type(op), op.count, block_limit_}; }

  void all_reduce(const Op& op);
  void reduce_to(const Op& op, int root, const std::byte* send, std::byte* recv);
  void reduce(const Op& op);
  void reduce_scatter(const Op& op);
  void all_gather(const Op& op);
  void broadcast(const Op& op);
  void gather(const Op& op);
  void scatter(const Op& op);
  void all_to_all(const Op& op);
  void all_to_all_v(const Op& op);
  Elements describe(const Op& op, std::span<const Range> ranges, Side& side) const;
  void send_recv(const Op& op);

  // The input of a reduction over `count` elements: op.send, or for mulsum a multiplied copy.
  const std::byte* input(const Op& op, std::size_t count);

  OwnedComm comm_;
  Setup setup_;
  int rank_ = 0;
  int nranks_ = 1;
  std::atomic<bool> aborted_ = false;
  std::size_t block_limit_ = 1;        // such that all ranks' blocks together fit MPI's int
  Buffer multiplied_;                  // scratch
  Buffer result_;                      // scratch
  std::vector<MPI_Request> requests_;  // of a batch
  Side sends_;
  Side recvs_;
};

}  // namespace linerate::mpi
