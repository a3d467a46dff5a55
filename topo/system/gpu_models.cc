#include "topo/system/gpu_models.h"

#include <algorithm>
#include <iterator>

namespace linerate::topo {
namespace {

struct GpuIds {
  std::uint32_t first, last;
  int sm;
};

// The chips' device ids after the PCI ID repository (pci-ids.ucw.cz), compute capabilities after
// NVIDIA's list (developer.nvidia.com/cuda-gpus).
constexpr GpuIds kGpuIds[] = {
    {0x15f7, 0x15f9, 60},   // GP100: P100
    {0x1db0, 0x1dbf, 70},   // GV100: V100, all forms
    {0x1eb8, 0x1eb8, 75},   // TU104: T4
    {0x20b0, 0x20ff, 80},   // GA100: A100, A800, A30
    {0x2235, 0x2237, 86},   // GA102: A40, A10, A10G
    {0x26b5, 0x26ba, 89},   // AD102: L40, L40S, L20
    {0x27b8, 0x27b8, 89},   // AD104: L4
    {0x2300, 0x237f, 90},   // GH100: H100, H200, H800, H20, GH200
    {0x2900, 0x29ff, 100},  // GB100, GB102: B200, GB200, B100
    {0x2bb5, 0x2bb5, 120},  // GB202: RTX PRO 6000 Server
    {0x3180, 0x31ff, 103},  // GB110, GB112: B300, GB300
};

}  // namespace

int compute_capability_of(std::uint32_t vendor, std::uint32_t device) {
  constexpr std::uint32_t kNvidiaId = 0x10de;
  const auto* found = std::ranges::find_if(
      kGpuIds, [&](const GpuIds& ids) { return device >= ids.first && device <= ids.last; });
  return vendor == kNvidiaId && found != std::end(kGpuIds) ? found->sm : 0;
}

}  // namespace linerate::topo
