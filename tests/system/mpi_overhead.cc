// Our all_reduce against a bare loop over MPI_Allreduce: same counts, buffers and offsets, in
// turns.
//
//   mpirun -np 2 build/bin/mpi_overhead
//
// Prints one row for each size: medians over windows of many calls, their difference and ratio.
#include "backends/table.h"
#include "system/mpi_world.h"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <vector>

namespace {

using namespace linerate;

constexpr int kWindows = 101;  // of each kind; odd, so that the median is one of them
constexpr std::size_t kMaxBytes = 4 << 20;
constexpr double kWindowBytes = 16 << 20;  // bounds the calls of a window of large messages
constexpr int kMaxCalls = 2000;
constexpr int kMinCalls = 4;

double median(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

template <typename Body>
double window_us(const Clock& clock, int ncalls, Body body) {
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = clock.now_ns();
  for (int call = 0; call < ncalls; ++call) body();
  return static_cast<double>(clock.now_ns() - start) / 1e3 / ncalls;
}

}  // namespace

int main() {
  const SteadyClock clock;
  const auto environment = Environment::of_process();
  const auto session =
      open_session(**find_backend("mpi"), input_of_this_process(clock), environment);
  const auto backend =
      open_backend(**find_backend("mpi"),
                   {.clock = clock, .environment = environment, .session = session.get()});
  const auto device = backend->open_device(0);
  const auto stream = device->stream();
  Device* const local[] = {device.get()};
  const auto comms = backend->connect(session->bootstrap(), local, {});
  Communicator& comm = *comms.front();
  MPI_Comm bare = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &bare);
  const auto send = comm.allocate(kMaxBytes, MemoryKind::host);
  const auto recv = comm.allocate(kMaxBytes, MemoryKind::host);

  if (comm.rank() == 0)
    fmt::print("# {}, {} ranks, median of {} windows\n#{:>11} {:>12} {:>12} {:>12} {:>8}\n",
               backend->version(), comm.nranks(), kWindows, "bytes", "bare us", "ours us",
               "more ns", "ratio");
  for (std::size_t bytes = 8; bytes <= kMaxBytes; bytes *= 8) {
    const std::size_t count = bytes / sizeof(float);
    const int ncalls = std::clamp(static_cast<int>(kWindowBytes / static_cast<double>(bytes)),
                                  kMinCalls, kMaxCalls);
    const Buffers buffers{.send = send.view(0, bytes), .recv = recv.view(0, bytes), .count = count};
    const auto run_bare = [&] {
      MPI_Allreduce(send.data(), recv.data(), static_cast<int>(count), MPI_FLOAT, MPI_SUM, bare);
    };
    const auto run_ours = [&] { comm.all_reduce(buffers, {}, *stream); };
    std::vector<double> bare_us, ours_us;
    for (int window = 0; window < kWindows; ++window) {
      // Who goes first alternates, so that neither gains from the other's warm caches.
      if (window % 2 == 0) bare_us.push_back(window_us(clock, ncalls, run_bare));
      ours_us.push_back(window_us(clock, ncalls, run_ours));
      if (window % 2 != 0) bare_us.push_back(window_us(clock, ncalls, run_bare));
    }
    const double b = median(bare_us);
    const double o = median(ours_us);
    if (comm.rank() == 0)
      fmt::print("{:>12} {:>12.3f} {:>12.3f} {:>12.1f} {:>8.3f}\n", bytes, b, o, (o - b) * 1e3,
                 o / b);
  }
  MPI_Comm_free(&bare);
  return 0;
}
