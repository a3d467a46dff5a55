// Which machine, or which cluster of them, a sub-command of topo is about.
#pragma once

#include "base/result.h"
#include "cli/option.h"
#include "topo/version.h"

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace linerate {

// Where the system, or the cluster of several, comes from.
enum class MachineSource : std::uint8_t {
  this_machine,
  saved_root,
  hwloc_file,
  nccl_file,
  platform,
  cluster
};

struct MachineChoice {
  MachineSource source = MachineSource::this_machine;
  std::string name{};           // path, or the platform's name
  topo::NcclVersion version{};  // of the NCCL that is asked for
};

// The words as they were typed.
struct MachineTexts {
  std::string name;  // whichever source it is
  std::string version = "2.28";
};

void describe_machine_words(CLI::App& app, MachineTexts& texts);
// At most one source may have been given.
Refusal read_machine(const CLI::App& app, const MachineTexts& texts, MachineChoice& choice);

}  // namespace linerate
