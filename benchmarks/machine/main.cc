// bench_machine: measures what this machine's memory and cores can do, when the driver asks.
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "bench/probe/cores.h"
#include "bench/probe/kernels.h"
#include "benchmarks/channel.h"
#include "benchmarks/machine/bandwidth.h"
#include "devices/cpu/cpu_device.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <exception>
#include <string>
#include <vector>

namespace linerate::benchmarks {
namespace {

using nlohmann::json;

// Between the first two cores; empty where there is one.
std::vector<double> flag_round_trips_ns(const Clock& clock, int repeats) {
  const auto cores = probe::allowed_cores();
  if (cores.size() < 2) return {};
  return probe::flag_round_trips_ns(clock, repeats, cores[0], cores[1]);
}

// {"kernel": "flag" or a kernel's name, "nthreads": 2, "repeats": 3} -> one value a repeat.
json answer(const json& request, const Bandwidth& bandwidth, const Clock& clock) {
  const std::string name = request.at("kernel");
  const int repeats = request.at("repeats");
  if (name == "flag") return {{"values", flag_round_trips_ns(clock, repeats)}};
  const auto* const kernel = probe::find_kernel(name);
  if (kernel == nullptr) throw Error(fmt::format("There is no kernel {}.", name));
  return {{"values", bandwidth.measure_gbps(*kernel, request.at("nthreads"), repeats)}};
}

void serve(const std::string& socket, std::size_t array_bytes) {
  const SteadyClock clock;
  const auto host = make_cpu_device(0, clock);
  const Bandwidth bandwidth(array_bytes, *host, clock);
  Channel channel(socket);
  channel.write_line(json{{"rank", 0}, {"nranks", 1}, {"version", ""}}.dump());
  while (const auto line = channel.read_line())
    channel.write_line(answer(json::parse(*line), bandwidth, clock).dump());
}

}  // namespace

int serve_as_asked(int argc, char** argv) {
  try {
    std::string socket;
    std::size_t array_bytes = 0;
    CLI::App app("bench_machine: the limits of memory and cores; started by make bench");
    app.add_option("--socket", socket)->required();
    app.add_option("--array-bytes", array_bytes)->required()->check(CLI::PositiveNumber);
    CLI11_PARSE(app, argc, argv);
    serve(socket, array_bytes);
    return static_cast<int>(ExitCode::ok);
  } catch (const std::exception& error) {
    say(error.what());
    return static_cast<int>(ExitCode::failed);
  }
}

}  // namespace linerate::benchmarks

int main(int argc, char** argv) { return linerate::benchmarks::serve_as_asked(argc, argv); }
