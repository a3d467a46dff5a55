// One rank's endpoint over Gloo: each call is one of Gloo's algorithms wherever it has one.
#pragma once

#include "backends/gloo/mesh.h"
#include "comm/call_order.h"

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace linerate::gloo {

// Gloo gets the caller's buffers, and our arithmetic (devices/cpu/reduce.h) as its reduction.
// Beside its own call: avg divides afterwards; mulsum multiplies into the result, or into a copy,
// first; all_to_all in place starts from a copy; a rank that is not the root of a reduce receives
// into scratch memory, which Gloo's algorithm needs. Scratch memory grows at the first call of a
// size, the warm-up, and is kept. A communicator whose call has failed is of no further use: its
// connections are closed, so that the others' calls end too.
class GlooCommunicator final : public BlockingCommunicator<GlooCommunicator> {
 public:
  // REQUIRES: the mesh is connected. `device` outlives the communicator.
  GlooCommunicator(Device& device, Mesh mesh);
  ~GlooCommunicator() override { end_calls(); }

  int rank() const override { return mesh_.own().rank; }
  int nranks() const override { return mesh_.own().nranks; }
  Device& device() override { return device_; }

  void call(const Op& op, Stream& stream);
  void call_batch(std::span<const Op> ops, Stream& stream);
  Buffer allocate(std::size_t bytes, MemoryKind kind) override {
    return device_.allocate(bytes, kind);
  }
  std::unique_ptr<Communicator> split(int color, int key) override;
  void barrier() override;
  // Ends this rank's call at once. Others notice when that call, or the next one, closes the
  // connections, but for those within a message: see Links. The watch aborts on every rank.
  void abort() noexcept override { mesh_.links().abort(); }

 private:
  std::string transport() const override;
  // REQUIRES: an exception is being handled.
  [[noreturn]] void give_up(std::string_view call);
  void run(const Op& op);
  void all_reduce(const Op& op);
  void reduce(const Op& op);
  void reduce_scatter(const Op& op);
  void all_gather(const Op& op);
  void broadcast(const Op& op);
  void all_to_all(const Op& op);
  void gather(const Op& op);
  void scatter(const Op& op);

  // Every rank's block, which are all as long as `mine`.
  Bytes gather_from_all(ConstView mine);
  bool is_root(const Op& op) const { return op.peer == rank(); }

  Device& device_;
  Mesh mesh_;
  Buffer input_;   // scratch
  Buffer result_;  // scratch
};

}  // namespace linerate::gloo
