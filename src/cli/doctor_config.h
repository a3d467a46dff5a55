// What `linerate doctor env` and `linerate doctor log` were asked to do.
#pragma once

#include "base/result.h"
#include "diagnose/env/sources.h"
#include "record/finding.h"

#include <optional>
#include <string>
#include <vector>

namespace linerate {

struct DoctorEnvConfig {
  std::vector<std::string> files{};  // "-": stdin; none: this process' environment
  env::Format format = env::Format::detected;
  env::Release nccl = env::kNewest;
  bool nccl_is_given = false;
  bool json = false;
  std::optional<Severity> fail_on{};  // the least that gives exit code 3
};

struct DoctorLogConfig {
  std::vector<std::string> files{};  // "-": stdin; at least one
  bool json = false;
  std::optional<Severity> fail_on{};  // the least that gives exit code 3
};

// The words behind `linerate doctor env`. Values that are not given are the defaults of the rows.
Result<DoctorEnvConfig> parse_doctor_env(const std::vector<std::string>& words);
Result<DoctorLogConfig> parse_doctor_log(const std::vector<std::string>& words);

}  // namespace linerate
