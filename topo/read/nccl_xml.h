// NCCL's topology XML (NCCL_TOPO_FILE, NCCL_TOPO_DUMP_FILE), RCCL's too, as a system.
#pragma once

#include "base/result.h"
#include "topo/system/system.h"

#include <string>
#include <string_view>

namespace linerate::topo {

// Reads what NCCL's own parser (src/graph/xml.cc) reads, and says more where that is wrong:
// "NAME:LINE: ..." of numbers that are none, missing attributes, broken or cut XML, or more than
// XmlLimits. Version 2, <xgmi> and gcn are RCCL's. A <pci> of a file made by hand, without <gpu>
// and <nic>, becomes what its class says; what stays unknown, and what of the file was not read,
// is told by the system's `unseen`. `name` is the file's.
Result<System> read_nccl_xml(std::string_view text, std::string_view name);

// The same of a file or pipe of at most 8 MiB; devices are refused.
Result<System> load_nccl_xml(const std::string& path);

}  // namespace linerate::topo
