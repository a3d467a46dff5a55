// Out-of-band exchange over MPI itself, on a communicator of its own.
#pragma once

#include "backends/mpi/mpi_api.h"
#include "comm/bootstrap.h"
#include "comm/plugin.h"

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::mpi {

// Every wait polls a non-blocking call until its deadline. A call that timed out stays active in
// MPI, so what it reads and writes is kept until the end, and timed_out() tells the session to
// abort.
class MpiBootstrap final : public Bootstrap {
 public:
  // What all bootstraps of one session share.
  struct Job {
    NodePlace here;  // hostname and identity of this process
    NodePlace (*place_within)(std::span<const int> hosts, int rank) = nullptr;
    bool timed_out = false;
    std::size_t piece_bytes = std::size_t{1} << 30;  // of one MPI call: below its int counts
  };

  // Collective over `comm`. `job` outlives the bootstrap.
  MpiBootstrap(OwnedComm comm, Job& job, const Deadline& deadline);

  int rank() const override { return rank_; }
  int nranks() const override { return nranks_; }
  const NodePlace& place() const override { return place_; }

  void barrier(const Deadline& deadline) override;
  Bytes broadcast(std::span<const std::byte> mine, int root, const Deadline& deadline) override;
  std::vector<Bytes> gather(std::span<const std::byte> mine, const Deadline& deadline) override;
  std::vector<Bytes> all_gather(std::span<const std::byte> mine, const Deadline& deadline) override;
  Bytes exchange(int peer, std::span<const std::byte> mine, const Deadline& deadline) override;
  std::unique_ptr<Bootstrap> split(int color, int key, const Deadline& deadline) override;
  [[noreturn]] void abort(ExitCode code) noexcept override;

 private:
  // Everything that a call in flight touches.
  struct Flight {
    Bytes send;
    Bytes recv;
    std::vector<int> counts;
    std::vector<int> offsets;
    std::vector<MPI_Request> requests;
  };
  enum class Reach { rank0, all };

  // Waits for the flight's requests; keeps it and throws TimeoutError when the deadline passes.
  void land(std::unique_ptr<Flight>& flight, const Deadline& deadline, std::string_view call);
  [[noreturn]] void give_up(std::unique_ptr<Flight>& flight, std::string_view call);
  bool wait_all(std::span<MPI_Request> requests, const Deadline& deadline);
  void answer_calls();
  std::string text_of_silent();
  std::vector<int> silent_ranks(double patience_s);
  std::vector<std::uint64_t> all_lengths(std::uint64_t mine, const Deadline& deadline,
                                         std::string_view call);
  std::vector<Bytes> collect(std::span<const std::byte> mine, Reach reach,
                             const Deadline& deadline);
  Bytes first_piece(std::unique_ptr<Flight>& flight, int peer, const Deadline& deadline);
  NodePlace find_place(const Deadline& deadline);

  OwnedComm comm_;
  Job& job_;
  int rank_ = 0;
  int nranks_ = 1;
  std::vector<std::unique_ptr<Flight>> abandoned_;
  std::set<int> waiting_;  // ranks that are known to have waited in vain, by their calls
  NodePlace place_;
};

}  // namespace linerate::mpi
