// What moves on a node while a run lasts: error counters of NICs, temperature, clocks, ECC and Xids
// of GPUs, frequency and heat of processors.
//
//   node_watch.cc   reads all of it before, while and after; the table of counters in sysfs
//   gpus.h          what NVML tells
//   processors.h    the frequency of processors that work
//   kernel_log.h    Xids, where NVML does not tell them
//   rules.cc        the table of what is wrong with what was seen
// A counter is read twice, so that a node of many costs a run nothing; the rest in each sample. The
// thread that samples belongs to who watches (src/commands/watched_health.h).
#pragma once

#include "record/finding.h"
#include "record/health.h"
#include "record/rule_text.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::health {

// Where a node is read.
struct Places {
  std::filesystem::path sysfs = "/sys";
  std::filesystem::path proc = "/proc";
  std::filesystem::path kernel_log = "/dev/kmsg";
  std::string nvml = "libnvidia-ml.so.1";
};

// One node, from here on. Used by one thread at a time.
class NodeWatch {
 public:
  // Reads the counters, and takes the first sample. Takes up to a second where NVIDIA's driver has
  // to be woken.
  explicit NodeWatch(const Places& places = {});
  ~NodeWatch();
  NodeWatch(const NodeWatch&) = delete;
  NodeWatch& operator=(const NodeWatch&) = delete;

  // Allocates nothing while nothing goes wrong.
  void sample();

  // The last sample, and the counters once more. Once.
  NodeHealth finish();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// The rule of all these findings.
inline constexpr std::string_view kRule = "health";

// What docs/doctor says of it.
std::vector<RuleText> rule_texts();

// What moved, or stood where it should not.
std::vector<Finding> findings_of(std::span<const NodeHealth> nodes);

}  // namespace linerate::health
