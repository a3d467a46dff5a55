// How long a token takes round all ranks: a job of ranks that does something new.
#include "job/job.h"

#include <fmt/format.h>

namespace {

linerate::ExitCode pass_token(linerate::RankContext& rank) {
  constexpr int kRounds = 1000;
  const auto token = rank.allocate(8);
  const linerate::Buffers mine{
      .send = token, .recv = token, .count = 8, .type = linerate::DataType::uint8};
  const int next = (rank.rank() + 1) % rank.nranks();
  const int before = (rank.rank() + rank.nranks() - 1) % rank.nranks();

  rank.enter({.what = "rounds of the token"});
  rank.align();
  const auto start_ns = rank.clock().now_ns();
  for (int round = 0; round < kRounds; ++round) {
    if (!rank.is_first()) rank.world().recv(mine, before, rank.stream());
    rank.world().send(mine, next, rank.stream());
    if (rank.is_first()) rank.world().recv(mine, before, rank.stream());
  }
  rank.stream().synchronize(linerate::Deadline::never());
  const double round_us = static_cast<double>(rank.clock().now_ns() - start_ns) / 1e3 / kRounds;

  const double slowest_us = rank.max_of_threads(round_us);
  if (rank.is_first()) fmt::print("{} ranks: {:.2f} us a round\n", rank.nranks(), slowest_us);
  return linerate::ExitCode::ok;
}

}  // namespace

int main() {
  linerate::JobConfig config;
  config.nthreads = 4;
  const auto environment = linerate::Environment::of_process();
  return static_cast<int>(
      linerate::run_job({.config = config, .environment = environment}, pass_token));
}
