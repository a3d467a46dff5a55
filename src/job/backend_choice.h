// The backend of a job: what `--backend auto` means here.
#pragma once

#include "backends/table.h"
#include "base/environment.h"
#include "base/result.h"
#include "job/config.h"
#include "launch/identity.h"

#include <memory>
#include <optional>
#include <string>

namespace linerate {

// A backend's name, and why it is taken.
struct BackendChoice {
  std::string name;
  std::string reason;
};

// What the choice rests on beside the command line.
struct ChoiceFacts {
  Launcher launcher{};
  std::optional<int> nnodes{};  // once it is known
  bool gpus = false;            // a host of the job has an NVIDIA GPU, with or without a driver
};
BackendChoice choose_backend(const JobConfig& config, const ChoiceFacts& facts);

// Whether --backend auto has a GPU to take here: the PCI bus shows one of NVIDIA's. LINERATE_SYSFS
// names another folder than /sys.
bool auto_takes_gpus(const JobConfig& config, const Environment& environment);

// What is wrong with the options that the backend itself reads (--fake), or with more than one rank
// a process where it takes one only; nothing: all is well, as far as this process alone can tell.
std::optional<std::string> backend_refusal(const JobConfig& config, const ChoiceFacts& facts);

// The network of --emulate; null without the option.
Result<std::shared_ptr<const host::Network>> network_of(const JobConfig& config);

}  // namespace linerate
