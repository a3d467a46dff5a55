#include "devices/cuda/near_gpu.h"

#include <cstddef>
#include <fstream>

namespace linerate::cuda {
namespace {

// "0-15,32-47" as the kernel writes it; what is no such list yields no core.
cpu_set_t cores_in(std::istream& list) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  for (std::size_t first = 0, last = 0; list >> first;) {
    last = first;
    if (list.peek() == '-') list.ignore() >> last;
    for (std::size_t core = first; core <= last && core < CPU_SETSIZE; ++core)
      CPU_SET(core, &cores);
    if (list.peek() == ',') list.ignore();
  }
  return cores;
}

}  // namespace

NearGpu::NearGpu(const std::string& bus_id, const std::string& pci_devices) noexcept {
  std::ifstream list(pci_devices + "/" + bus_id + ".0/local_cpulist");
  const cpu_set_t local = cores_in(list);
  cpu_set_t before, both;
  if (sched_getaffinity(0, sizeof before, &before) != 0) return;
  CPU_AND(&both, &before, &local);
  if (CPU_COUNT(&both) > 0 && sched_setaffinity(0, sizeof both, &both) == 0) before_ = before;
}

NearGpu::~NearGpu() {
  if (before_) (void)sched_setaffinity(0, sizeof *before_, &*before_);
}

}  // namespace linerate::cuda
