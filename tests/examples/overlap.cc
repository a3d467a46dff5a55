// How much of two axes' communication hides behind compute: two communicators, each on a stream of
// its own, beside a stream that computes.
#include "job/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace {

using linerate::Deadline;
using linerate::Stream;
using linerate::StreamKind;

constexpr int kLayers = 20;
constexpr std::size_t kCount = std::size_t{1} << 20;  // floats of an all_reduce

// One axis of a parallel program.
struct Axis {
  linerate::Communicator& comm;
  std::unique_ptr<Stream> stream;
  linerate::Buffer gradients;

  explicit Axis(linerate::RankContext& rank)
      : comm(rank.add_axis(0, rank.rank())),
        stream(comm.device().open_stream(StreamKind::async)),
        gradients(comm.allocate(kCount * sizeof(float), linerate::MemoryKind::device)) {}

  void reduce_layers() {
    for (int layer = 0; layer < kLayers; ++layer)
      comm.all_reduce({.send = gradients.view(), .recv = gradients.view(), .count = kCount}, {},
                      *stream);
  }
};

// Stands for a GPU that computes: the host's thread has nothing to do meanwhile.
void compute_layer(double us) {
  std::this_thread::sleep_for(std::chrono::duration<double, std::micro>(us));
}

// Time of `work` and of the wait for `streams`, on the slowest rank, in milliseconds.
double time_ms(linerate::RankContext& rank, const std::vector<Stream*>& streams,
               const std::function<void()>& work) {
  rank.align();
  const auto start_ns = rank.clock().now_ns();
  work();
  for (Stream* stream : streams) stream->synchronize(Deadline::never());
  return rank.max_of_threads(static_cast<double>(rank.clock().now_ns() - start_ns) / 1e6);
}

linerate::ExitCode overlap(linerate::RankContext& rank) {
  Axis dp(rank), tp(rank);
  const auto compute = rank.device().open_stream(StreamKind::async);
  const std::vector<Stream*> all{compute.get(), dp.stream.get(), tp.stream.get()};
  const auto reduce_both = [&] {
    dp.reduce_layers();
    tp.reduce_layers();
  };
  (void)time_ms(rank, all, reduce_both);  // first calls are slower
  const double dp_ms = time_ms(rank, all, [&] { dp.reduce_layers(); });
  const double tp_ms = time_ms(rank, all, [&] { tp.reduce_layers(); });
  const double layer_us = (dp_ms + tp_ms) * 1e3 / kLayers;
  const auto compute_layers = [&] {
    for (int layer = 0; layer < kLayers; ++layer) compute->run([=] { compute_layer(layer_us); });
  };
  const double compute_ms = time_ms(rank, all, compute_layers);

  const double together_ms = time_ms(rank, all, [&] {
    compute_layers();
    reduce_both();
  });

  const double in_turn_ms = compute_ms + dp_ms + tp_ms;
  const double longest_ms = std::max({compute_ms, dp_ms, tp_ms});
  if (rank.is_first())
    fmt::print(
        "compute {:.1f} ms, dp {:.1f} ms, tp {:.1f} ms: in turn {:.1f} ms, at once {:.1f} ms; "
        "{:.0f} "
        "% of what can be hidden is hidden\n",
        compute_ms, dp_ms, tp_ms, in_turn_ms, together_ms,
        100 * (in_turn_ms - together_ms) / (in_turn_ms - longest_ms));
  return linerate::ExitCode::ok;
}

}  // namespace

// overlap [BACKEND [NPROCS]]
int main(int argc, char** argv) {
  linerate::JobConfig config;
  config.backend = argc > 1 ? argv[1] : "host";
  config.nprocs = argc > 2 ? std::atoi(argv[2]) : 0;
  if (argc <= 2 && config.backend == "host") config.nthreads = 2;
  const auto environment = linerate::Environment::of_process();
  return static_cast<int>(
      linerate::run_job({.config = config, .environment = environment}, overlap));
}
