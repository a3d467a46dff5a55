// GPUs first, then the launcher, then the number of hosts.
#include "job/backend_choice.h"

#include "backends/host/emulation/network.h"
#include "topo/machine.h"

#include <fmt/format.h>

namespace linerate {

bool auto_takes_gpus(const JobConfig& config, const Environment& environment) {
  return config.backend == "auto" &&
         count_nvidia_gpus(environment.get("LINERATE_SYSFS").value_or("/sys")) > 0;
}

// With GPUs in the job a table of host memory would look fine and mislead, so nothing else is
// tried.
BackendChoice choose_backend(const JobConfig& config, const ChoiceFacts& facts) {
  if (config.backend != "auto") return {config.backend, "asked for"};
  if (!config.emulate_file.empty()) return {"host", "--emulate was given"};
  if (facts.gpus) return {"nccl", "there is an NVIDIA GPU"};
  if (facts.launcher == Launcher::mpi) return {"mpi", "an MPI launcher started this process"};
  if (facts.nnodes && *facts.nnodes > 1)
    return {"gloo",
            fmt::format("the ranks run on {} hosts without an MPI launcher", *facts.nnodes)};
  return {"host", "no MPI launcher started this process"};
}

// With --backend auto and GPUs on other hosts only the job could not run either.
std::optional<std::string> backend_refusal(const JobConfig& config, const ChoiceFacts& facts) {
  const auto fake = parse_fake_options(config.fake);
  if (!fake) return fake.sentence();
  if (config.ranks_per_process() == 1 || choose_backend(config, facts).name != "mpi")
    return std::nullopt;
  return fmt::format(
      "The mpi backend has one rank per process, and {} were asked for: use -t 1 -g 1 and start "
      "more processes, or choose --backend host or --backend nccl.",
      config.ranks_per_process());
}

Result<std::shared_ptr<const host::Network>> network_of(const JobConfig& config) {
  if (config.emulate_file.empty()) return std::shared_ptr<const host::Network>();
  return host::read_network(config.emulate_file);
}

}  // namespace linerate
