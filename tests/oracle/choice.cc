// NCCL's choice for one call, through the interface that the version has for it.
#include "enqueue.cc"
#include "tests/oracle/harness.h"

namespace {

constexpr float kNever = 3600000000.0F;  // us, as getAlgoInfo has it

// As hostToDevRedOp has it of floats.
auto operator_of(const Call& call) { return call.averages ? ncclDevPreMulSum : ncclDevSum; }

#if NCCL_VERSION_MINOR >= 19
// As the callers of the choice ask.
bool nvls_of(const ncclComm* comm, const Call& call) {
  return comm->nvlsSupport &&
         (ncclNvlsSupported(operator_of(call), ncclFloat) || call.function == ncclFuncAllGather);
}
#endif

}  // namespace

#if NCCL_VERSION_MINOR >= 22

namespace {

ncclTaskColl task_of(const Call& call) {
  ncclTaskColl task{};
  task.func = call.function;
  task.datatype = ncclFloat;
  task.opDev.op = operator_of(call);
  return task;
}

}  // namespace

Choice choose(ncclComm* comm, const Call& call) {
  const auto [function, bytes, averages] = call;
  const bool nvls = nvls_of(comm, call);
  float costs[NCCL_NUM_ALGORITHMS][NCCL_NUM_PROTOCOLS];
  auto* const table = reinterpret_cast<float**>(costs);
  auto task = task_of(call);
  initCollCostTable(table);
#if NCCL_VERSION_MINOR >= 24
  if (updateCollCostTable(comm, &task, bytes, 0, nvls, 1, table) != ncclSuccess ||
      topoGetAlgoInfo(comm, &task, bytes, table, nullptr) != ncclSuccess)
    return {};
#else
  int algorithm = -1, protocol = -1;  // rings, where all else is off
  float backup_us = kNever;
  if (updateCollCostTable(comm, &task, bytes, 0, nvls, 1, table, &algorithm, &protocol,
                          &backup_us) != ncclSuccess ||
      topoGetAlgoInfo(comm, &task, bytes, table, algorithm, protocol, backup_us, nullptr) !=
          ncclSuccess)
    return {};
#endif
  Choice made{task.algorithm, task.protocol, task.nMaxChannels, 0};
#if NCCL_VERSION_MINOR >= 24
  (void)ncclTopoGetAlgoTime(comm, function, made.algorithm, made.protocol, bytes, 1, &made.time_us);
#else
  bool is_backup = false;
  (void)ncclTopoGetAlgoTime(comm, function, made.algorithm, made.protocol, bytes, 1, &made.time_us,
                            &is_backup);
#endif
  return made;
}

#else

Choice choose(ncclComm* comm, const Call& call) {
  ncclInfo info{};
  info.comm = comm;
  info.coll = call.function;
  info.nBytes = call.bytes;
  info.datatype = ncclFloat;
  info.opFull.op = operator_of(call);
  info.algorithm = -1;  // none yet
  info.protocol = -1;
#if NCCL_VERSION_MINOR >= 20
  if (topoGetAlgoInfo(&info, 0, nvls_of(comm, call), 1) != ncclSuccess) return {};
  if (getChannnelThreadInfo(&info) != ncclSuccess) return {};
#elif NCCL_VERSION_MINOR >= 19
  if (getAlgoInfo(&info, 0, nvls_of(comm, call), 1) != ncclSuccess) return {};
#else
  if (getAlgoInfo(&info, 0, 1) != ncclSuccess) return {};
#endif
  Choice made{info.algorithm, info.protocol, info.nChannels, 0};
  info.nChannels = 0;  // the time is that of all channels, as while it chose
#if NCCL_VERSION_MINOR >= 19
  bool is_backup = false;
  (void)ncclTopoGetAlgoTime(&info, made.algorithm, made.protocol, 1, &made.time_us, &is_backup);
#else
  (void)ncclTopoGetAlgoTime(&info, made.algorithm, made.protocol, 1, &made.time_us);
#endif
  return made;
}

#endif
