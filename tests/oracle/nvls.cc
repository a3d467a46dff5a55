// NVLS with a driver that offers multicast to Hopper and newer GPUs behind NVSwitches.
#include "transport/nvls.cc"

#include "tests/oracle/harness.h"

namespace {

int has_multicast = 0;

CUresult get_device(CUdevice* device, int) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult get_current_device(CUdevice* device) {
  *device = 0;
  return CUDA_SUCCESS;
}
CUresult get_attribute(int* value, CUdevice_attribute, CUdevice) {
  *value = has_multicast;
  return CUDA_SUCCESS;
}
CUresult create_multicast(CUmemGenericAllocationHandle*, const CUmulticastObjectProp*) {
  return CUDA_SUCCESS;
}

}  // namespace

PFN_cuDeviceGet_v2000 pfn_cuDeviceGet = get_device;
PFN_cuCtxGetDevice_v2000 pfn_cuCtxGetDevice = get_current_device;
PFN_cuDeviceGetAttribute_v2000 pfn_cuDeviceGetAttribute = get_attribute;
PFN_cuMulticastCreate_v12010 pfn_cuMulticastCreate = create_multicast;

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDA_VERSION;
  return cudaSuccess;
}

void init_nvls(ncclComm* comm) {
  constexpr int kHopper = 90;
  int switches = 0;
  (void)ncclTopoGetNvsCount(comm->topo, &switches);
  has_multicast = switches > 0 && comm->minCompCap >= kHopper ? 1 : 0;
  (void)ncclNvlsInit(comm);
}

void tune_nvls(ncclComm* comm, ncclTopoGraph* nvls) {
#if NCCL_VERSION_MINOR >= 30
  if (!comm->nvlsSupport) return;
  comm->graphs[NCCL_ALGO_NVLS] = *nvls;
  comm->minNetBw = std::numeric_limits<float>::max();
  for (int rank = 0; rank < comm->localRanks; ++rank) {
    float gbps = 0;
    if (comm->nNodes > 1) (void)ncclTopoGetMinNetBw(comm->topo, rank, &gbps);
    comm->minNetBw = std::min(comm->minNetBw, gbps);
  }
  (void)ncclNvlsTuning(comm);
#else
  (void)comm;
  (void)nvls;
#endif
}
