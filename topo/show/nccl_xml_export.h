// A system as a topology file that NCCL accepts.
#pragma once

#include "base/result.h"
#include "topo/system/system.h"

#include <string>

namespace linerate::topo {

// The text of an NCCL_TOPO_FILE. What is not known is left out: NCCL finds it out on the machine,
// as it does whether GPUDirect RDMA works where `gdr` is false. Speeds of links are worded as NCCL
// understands them. A system with AMD's GPUs becomes a file of RCCL. Reading the file gives the
// system again, but for what NCCL's files do not tell (models, maximum link speeds, states).
//
// Refused, in a sentence: several hosts, since NCCL takes all of a file for the machine that it
// runs on, and what NCCL's parser (src/graph/xml.h) has no room for or cannot read.
Result<std::string> nccl_xml_of(const System& system);

}  // namespace linerate::topo
