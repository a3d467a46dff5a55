// What the ranks of a fake NCCL communicator share, and what each of them does.
#pragma once

#include "comm/data_type.h"
#include "comm/op.h"

#include <nccl.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace linerate::nccl::fake {

class World;

// One call of one rank; `count` is NCCL's.
struct Call {
  OpKind kind{};
  const std::byte* send = nullptr;
  std::byte* recv = nullptr;
  std::size_t count = 0;
  DataType type{};
  RedOp op{};
  double premul = 1;
  int peer = 0;
  std::uint64_t ticket = 0;  // set by post(); a call that was never posted never ends

  std::size_t bytes() const { return count * bytes_of(type); }  // a rank's block
};

// One rank. Used by one thread, but for abort().
class Member {
 public:
  Member(std::shared_ptr<World> world, int rank) : world_(std::move(world)), rank_(rank) {}

  int rank() const { return rank_; }
  int nranks() const;

  void post(Call& call);
  // Whether the call is done, or never will be: the communicator was aborted.
  bool is_over(const Call& call);
  void abort();
  bool aborted() const { return aborted_; }
  // The GPU, and whether a call of this rank is on its way there.
  void set_device(int device) { device_ = device; }
  int device() const { return device_; }
  void begin_call() { ++open_calls_; }
  void end_call() { --open_calls_; }
  bool busy() const { return open_calls_ > 0 && !aborted_; }
  // Calls that reached the head of their stream.
  std::uint64_t count_call() { return ++calls_; }
  std::uint64_t calls() const { return calls_; }

  // A split in two halves: what this rank wants, and once all ranks have said so, its part; null
  // for colour < 0.
  void begin_split(int color, int key);
  std::shared_ptr<Member> end_split(int color, int key);
  ncclRedOp_t create_premul(const void* scalar, DataType type);
  // Sets the operator of `call`.
  void resolve(ncclRedOp_t op, Call& call) const;

 private:
  std::shared_ptr<World> world_;
  int rank_;
  std::atomic<bool> aborted_{false};
  std::atomic<std::uint64_t> calls_{0};
  std::atomic<int> open_calls_{0};
  std::atomic<int> device_{-1};
  std::vector<double> premuls_;
};

// Rank `rank` of the world that `id` names.
std::shared_ptr<Member> join(std::uint64_t id, int rank, int nranks);

// The rank that a communicator of fake_nccl() stands for.
std::shared_ptr<Member> member_of(ncclComm_t comm);

// For logs: `call`, and whether calls of `member` have not ended yet.
std::string with_state(const char* call, const Member& member);

}  // namespace linerate::nccl::fake
