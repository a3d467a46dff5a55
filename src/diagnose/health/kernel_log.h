// Xids that the kernel's log tells from now on: messages of NVIDIA's driver about faults.
#pragma once

#include "base/handle.h"
#include "record/health.h"

#include <filesystem>
#include <string>
#include <vector>

namespace linerate::health {

class KernelLog {
 public:
  // Why it cannot be read; empty: it can.
  std::string open(const std::filesystem::path& file);
  // What came since.
  void finish(NodeHealth& health);

 private:
  FileDescriptor file_;
};

// "NVRM: Xid (PCI:0000:3b:00): 79, …": adds those of `text`.
void add_xids(std::string_view text, NodeHealth& health);
// Counts one.
void add_xid(const std::string& subject, std::uint64_t xid, NodeHealth& health);

}  // namespace linerate::health
