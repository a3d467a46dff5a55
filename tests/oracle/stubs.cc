// What NCCL's graph code asks of the rest of the library: logging to nowhere, and more. Weak:
// init.cc has some of it in some versions.
#include "comm.h"
#include "core.h"
#include "nvmlwrap.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>

int ncclDebugLevel = 0;
std::uint64_t ncclDebugMask = 0;
thread_local int ncclDebugNoWarn = 0;
FILE* ncclDebugFile = stderr;
[[gnu::weak]] void ncclDebugLog(ncclDebugLogLevel, unsigned long, const char*, int, const char*,
                                ...) {}
[[gnu::weak]] void ncclDebugLogInternal(ncclDebugLogLevel, unsigned long, const char*, const char*,
                                        int, const char*, ...) {}

[[gnu::weak]] const char* ncclFuncToString(ncclFunc_t) { return ""; }
[[gnu::weak]] const char* ncclDatatypeToString(ncclDataType_t) { return ""; }

[[gnu::weak]] int ncclNetVersion(ncclComm*) { return 8; }
[[gnu::weak]] void ncclInitEnv() {}
[[gnu::weak]] ncclResult_t ncclEnvPluginInit() { return ncclSuccess; }
[[gnu::weak]] const char* ncclEnvPluginGetEnv(const char* name) { return std::getenv(name); }
extern "C" bool ncclParamIsCacheDisabled(const char*) { return false; }

ncclNvmlDevicePairInfo ncclNvmlDevicePairs[ncclNvmlMaxDevices][ncclNvmlMaxDevices];
[[gnu::weak]] ncclResult_t ncclNvmlEnsureInitialized() { return ncclSuccess; }

#if NCCL_VERSION_MINOR >= 29
void ncclOsCpuZero(cpu_set_t& set) { CPU_ZERO(&set); }
void ncclOsCpuSet(cpu_set_t& set, int cpu) {
  if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
}
int ncclOsCpuCount(const cpu_set_t& set) { return CPU_COUNT(&set); }
bool ncclOsCpuIsSet(const cpu_set_t& set, int cpu) { return CPU_ISSET(cpu, &set); }
#endif
