// How far apart two devices are, in NCCL's words.
#pragma once

#include "base/result.h"
#include "topo/version.h"

#include <cstdint>
#include <string_view>

namespace linerate::topo {

// Best to worst, as NCCL 2.27.5 and later order them (src/graph/topo.h).
enum class PathType : std::uint8_t {
  loc,  // the same device
  nvl,  // NVLink, also through an NVSwitch
  nvb,  // NVLink through one other GPU
  c2c,  // from a GPU to the processor in its package
  pix,  // one PCI switch
  pxb,  // several PCI switches, not the processor
  p2c,  // GPU, C2C, processor, PCI, NIC
  pxn,  // a NIC that a peer GPU reaches
  phb,  // through the processor
  sys,  // from one processor to another
  net,  // the network
  dis,  // none
};

std::string_view name_of(PathType type);  // "NVL"
Result<PathType> parse_path_type(std::string_view text);

// Whether `a` is nearer than `b` to that version of NCCL: 2.27.3 put P2C behind PXN, and before it
// there was no P2C.
bool nearer(PathType a, PathType b, NcclVersion version);

// The same order as numbers, from 0 for the best; and back.
int place_of(PathType type, const NcclVersion& version);
PathType type_at(int place, const NcclVersion& version);

// Whether that version knows the type: C2C came with 2.26, P2C with 2.27.
bool has_path_type(PathType type, const NcclVersion& version);

}  // namespace linerate::topo
