// What each kind of launcher says about this process: one function each, pure over the environment.
#pragma once

#include "launch/identity.h"

#include <optional>
#include <string>

namespace linerate {

inline constexpr int kMaxRanks = 1 << 20;  // more is a mistake, not a machine

// What one launcher's variables say.
struct Claim {
  Launcher launcher = Launcher::none;
  std::string program{};   // "mpirun", for sentences
  std::string variable{};  // "OMPI_COMM_WORLD_RANK"
  int rank = 0;
  int nranks = 1;  // 0: unknown
  std::string master_host{};
  std::uint16_t master_port = 0;
  std::string token{};  // where the launcher's variables name the run; else empty
};

// Nothing when the launcher's variables are not there.
using MaybeClaim = Result<std::optional<Claim>>;

MaybeClaim mpi_claim(const Environment& environment);
MaybeClaim slurm_claim(const Environment& environment);
MaybeClaim env_claim(const Environment& environment);

// True when torchrun itself started this process.
bool started_by_torchrun(const Environment& environment);

// A variable that only a launcher's child has, although no claim could be made of it: then the
// sentence that says what to do.
std::optional<Failure> launcher_not_understood(const Environment& environment);

// A set and non-empty variable.
std::optional<std::string> filled(const Environment& environment, std::string_view name);

// The variable's number within [low, high]. REQUIRES: it is set.
Result<int> number_in(const Environment& environment, std::string_view name, int low, int high);

}  // namespace linerate
