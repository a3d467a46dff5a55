// Machines as hwloc wrote them, read in a process of their own: foreign XML can break hwloc.
#pragma once

#include "base/result.h"
#include "topo/system/system.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

struct hwloc_topology;  // hwloc_topology_t points to it

namespace linerate::topo {

enum class Trial : std::uint8_t { yes, no, broke };

// What the other process may take.
struct TrialLimits {
  unsigned seconds = 3;  // of processor time: a busy machine does not count
  std::size_t more_bytes = std::size_t{1} << 30;  // of address space, beyond what this one has
};

// What `what` answers in a copy of this process, which says nothing; `broke` where that dies or
// takes more than its limits. `yes` where no process can be made. Nothing that it changes is seen
// here.
Trial try_apart(const std::function<bool()>& what, const TrialLimits& limits = {});

// The system in hwloc's XML of versions 1 and 2. Refused in a sentence: anything but a regular file
// of at most 64 MiB, text that hwloc cannot read, and version 3, which came with hwloc 3. hwloc
// trusts what it reads, so that a copy of this process reads it first: a damaged file costs no
// more.
Result<System> load_hwloc_xml(const std::string& path);

// The same of the text of a file; `path` is what sentences call it.
Result<System> read_hwloc_xml(const std::string& text, const std::string& path);

// What is kept of a loaded topology. REQUIRES: I/O objects were not filtered out.
System system_of_hwloc(hwloc_topology* topology);

}  // namespace linerate::topo
