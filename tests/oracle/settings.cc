// NCCL's defaults and its variables for the number of channels.
#include "init.cc"
#include "tests/oracle/harness.h"

void read_settings(ncclComm* comm) {
  comm->config.minCTAs = 1;
  comm->config.maxCTAs = MAXCHANNELS;
#if NCCL_VERSION_MINOR >= 27
  comm->config.nvlsCTAs = NCCL_CONFIG_UNDEF_INT;
#endif
  (void)envConfigOverride(comm);
#if NCCL_VERSION_MINOR >= 27
  comm->config.collnetEnable = 0;
#endif
}
