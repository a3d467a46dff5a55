// One rank of a competitor: sleeps until the driver asks, measures, answers.
#pragma once

#include "bench/session.h"
#include "bench/verify.h"
#include "benchmarks/channel.h"
#include "benchmarks/peer/request.h"
#include "benchmarks/peer/slots.h"

#include <cstddef>
#include <string>
#include <vector>

namespace linerate::benchmarks {

// What a competitor's job is told on its command line; the same in all its processes.
struct Options {
  std::string backend;                              // a row of the backend table
  std::string socket;                               // where the driver listens
  int nprocs = 0;                                   // processes to fork; 0: a launcher started us
  int nthreads = 1;                                 // ranks of each process
  std::size_t buffer_bytes = std::size_t{1} << 20;  // of each of a rank's two buffers
  bool private_buffers = false;  // ordinary memory instead of what the backend hands out
};

// Used by the rank's thread. All ranks of a job get the same requests in the same order.
class RankServer {
 public:
  // Connects, then pins this thread: threads that the backend has made by then stay free. Buffers
  // are touched by the pinned thread. Collective over all ranks; all of them outlive it.
  RankServer(RankContext& rank, const BenchConfig& config, const Options& options);

  // Greets the driver and serves its requests until it has gone.
  void serve();

 private:
  void allocate(const Options& options);
  Answer answer(const Request& request);
  CaseOnThread place(const Request& request, const SlotRange& slots) const;
  std::size_t pool_slots(const Request& request) const;
  std::uint64_t verify(const Request& request);
  std::vector<double> measure(const Request& request);
  double window_us(const Request& request, const CaseOnThread& on_thread, const SlotRange& slots);
  double bare_window_us(const Request& request, const CaseOnThread& on_thread);
  LocalRank& local() { return session_.ranks().front(); }
  const LocalRank& local() const { return session_.ranks().front(); }

  std::string version_;
  Session session_;
  Channel channel_;
  SlotTurns turns_;
};

}  // namespace linerate::benchmarks
