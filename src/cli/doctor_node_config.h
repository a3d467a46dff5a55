// What `linerate doctor` and `linerate doctor snapshot` were asked to do.
#pragma once

#include "base/result.h"
#include "record/finding.h"

#include <optional>
#include <string>
#include <vector>

namespace linerate {

struct DoctorNodeConfig {
  std::vector<std::string> snapshots{};  // files and folders; none: this node, or those of the job
  bool here = false;                     // this node, whoever started the process
  std::vector<std::string> only{}, skip{};
  std::string thresholds{};  // a file; empty: the built-in ones
  bool quick_bench = false;
  bool list = false;
  std::vector<std::string> explained{};
  bool json = false;
  std::optional<Severity> fail_on{};  // the least that gives exit code 3
};

struct DoctorSnapshotConfig {
  std::string file{};
};

// The words behind the command. Values that are not given are the defaults of the rows; names of
// checks are not looked at.
Result<DoctorNodeConfig> parse_doctor_node(const std::vector<std::string>& words);
Result<DoctorSnapshotConfig> parse_doctor_snapshot(const std::vector<std::string>& words);

}  // namespace linerate
