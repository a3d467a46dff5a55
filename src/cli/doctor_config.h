// What `linerate doctor env`, `log`, `results`, `hang` and `prove` were asked to do.
#pragma once

#include "base/result.h"
#include "cli/compare_config.h"
#include "diagnose/env/sources.h"
#include "launch/net/socket.h"
#include "record/finding.h"
#include "topo/version.h"

#include <optional>
#include <string>
#include <vector>

namespace linerate {

struct DoctorEnvConfig {
  std::vector<std::string> files{};  // "-": stdin; none: this process' environment
  env::Format format = env::Format::detected;
  env::Release nccl = env::kNewest;
  bool nccl_is_given = false;
  std::vector<std::string> skip{};  // rules whose findings are left out
  bool json = false;
  std::optional<Severity> fail_on{};  // the least that gives exit code 3
};

struct DoctorLogConfig {
  std::vector<std::string> files{};  // "-": stdin; at least one
  std::vector<std::string> skip{};   // rules whose findings are left out
  bool json = false;
  std::optional<Severity> fail_on{};  // the least that gives exit code 3
};

struct DoctorResultsConfig {
  std::vector<std::string> files{};  // "-": stdin; at least one
  std::string platform{};            // a built-in node; empty: none
  int nnodes = 0;                    // 0: as many as the results name hosts
  std::optional<topo::NcclVersion> nccl{};
  std::vector<std::string> skip{};  // rules whose findings are left out
  bool json = false;
  std::optional<Severity> fail_on{};  // the least that gives exit code 3
};

struct DoctorHangConfig {
  std::vector<int> pids{};           // and
  std::vector<std::string> files{};  // of dumps, or their folders, and
  SocketAddress ras{};               // of NCCL's RAS service; port 0: none. At least one of these
  std::vector<std::string> skip{};   // rules whose findings are left out
  bool json = false;
  std::optional<Severity> fail_on{};  // the least that gives exit code 3
};

// `smallest`, how often and when the sides run are those of compare; their commands come later.
struct DoctorProveConfig : CompareConfig {
  std::string id{};                     // empty: with `list` alone
  std::optional<std::string> a{}, b{};  // what the sides have; nothing: what is set, and the other
  std::string launch{};                 // what stands in front of the benchmark, as in a shell
  // Behind --: arguments of all_reduce, or a whole command.
  std::vector<std::string> benchmark{};
  bool list = false;

  bool has_command() const { return !benchmark.empty() && !benchmark.front().starts_with('-'); }
};

// The words behind `linerate doctor env`. Values that are not given are the defaults of the rows.
Result<DoctorEnvConfig> parse_doctor_env(const std::vector<std::string>& words);
Result<DoctorHangConfig> parse_doctor_hang(const std::vector<std::string>& words);
Result<DoctorLogConfig> parse_doctor_log(const std::vector<std::string>& words);
Result<DoctorProveConfig> parse_doctor_prove(const std::vector<std::string>& words);
Result<DoctorResultsConfig> parse_doctor_results(const std::vector<std::string>& words);

}  // namespace linerate
