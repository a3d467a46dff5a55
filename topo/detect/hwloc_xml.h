// Another machine as lstopo saved it: hwloc's XML.
#pragma once

#include "base/result.h"
#include "topo/system/system.h"

#include <string>

struct hwloc_topology;  // hwloc_topology_t points to it

namespace linerate::topo {

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
