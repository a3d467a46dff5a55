// What NCCL itself would make its topology of: a topology file merged into a detected machine, and
// the ports and links that NCCL takes.
#pragma once

#include "base/result.h"
#include "topo/system/system.h"

#include <optional>
#include <string>

namespace linerate::topo {

// Of a detected system: the ports that PortUse tells, and the links that NCCL counts. GPUs count by
// their link as trained, and by its full speed where they have slowed it to idle; all else by the
// most that it could be (NCCL 2.30, src/graph/xml.cc).
System nccl_view(System system);

// What NCCL makes of a topology file: the file, completed by what it finds on the machine itself.

// `file` with what it leaves out, by bus id, from `seen`, the nccl_view() of the machine that it is
// about. As NCCL 2.30 does (src/graph/topo.cc, ncclTopoGetSystem; src/graph/xml.cc): what the file
// says stands; NVLinks, C2C links, PCI links, classes and compute capabilities that it does not
// give are the machine's; devices that it does not have are added below the bridge or memory node
// where the machine has them; ports are those of the machine, found in the file by their names.
// Where none is seen, the file's stay.
System completed_as_nccl(System file, const System& seen);

// The same with a platform in place of the machine: its GPUs and NICs take the file's places, each
// the n-th the n-th one's. A sentence where their numbers differ.
Result<System> completed_as_platform(System file, System platform);

// What of `node` nobody told, in words that follow "because": NVLinks of GPUs that no driver was
// asked about; with `across_nodes` also speeds of ports. Nothing: all is known.
std::optional<std::string> unknown_links(const System& node, bool across_nodes);

}  // namespace linerate::topo
