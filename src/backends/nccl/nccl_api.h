// The calls of NCCL that linerate makes, as a table: of a library loaded at run time, or a test's.
#pragma once

#include <nccl.h>
#include <nccl_device.h>

#include <string>

namespace linerate::nccl {

// Every call as entry and function: those that NCCL has had from kOldestVersion on, and those
// of 2.19 (memory and registration), 2.27 (windows) and 2.28.
#define LINERATE_NCCL_CALLS(NEEDED, NEWER)                    \
  NEEDED(get_version, ncclGetVersion)                         \
  NEEDED(get_error_string, ncclGetErrorString)                \
  NEEDED(get_last_error, ncclGetLastError)                    \
  NEEDED(get_unique_id, ncclGetUniqueId)                      \
  NEEDED(comm_init_rank_config, ncclCommInitRankConfig)       \
  NEEDED(comm_destroy, ncclCommDestroy)                       \
  NEEDED(comm_abort, ncclCommAbort)                           \
  NEEDED(comm_get_async_error, ncclCommGetAsyncError)         \
  NEEDED(comm_split, ncclCommSplit)                           \
  NEEDED(comm_user_rank, ncclCommUserRank)                    \
  NEEDED(comm_count, ncclCommCount)                           \
  NEEDED(all_reduce, ncclAllReduce)                           \
  NEEDED(all_gather, ncclAllGather)                           \
  NEEDED(reduce_scatter, ncclReduceScatter)                   \
  NEEDED(broadcast, ncclBroadcast)                            \
  NEEDED(reduce, ncclReduce)                                  \
  NEEDED(send, ncclSend)                                      \
  NEEDED(recv, ncclRecv)                                      \
  NEEDED(group_start, ncclGroupStart)                         \
  NEEDED(group_end, ncclGroupEnd)                             \
  NEEDED(red_op_create_pre_mul_sum, ncclRedOpCreatePreMulSum) \
  NEEDED(red_op_destroy, ncclRedOpDestroy)                    \
  NEWER(mem_alloc, ncclMemAlloc)                              \
  NEWER(mem_free, ncclMemFree)                                \
  NEWER(comm_register, ncclCommRegister)                      \
  NEWER(comm_deregister, ncclCommDeregister)                  \
  NEWER(comm_window_register, ncclCommWindowRegister)         \
  NEWER(comm_window_deregister, ncclCommWindowDeregister)     \
  NEWER(all_to_all, ncclAlltoAll)                             \
  NEWER(gather, ncclGather)                                   \
  NEWER(scatter, ncclScatter)                                 \
  NEWER(dev_comm_create, ncclDevCommCreate)                   \
  NEWER(dev_comm_destroy, ncclDevCommDestroy)

// Each entry is NCCL's function, with its contract. The newer ones are null where the library is
// older.
struct NcclApi {
#define ENTRY(entry, function) decltype(&(function)) entry = nullptr;  // NOLINT: a declaration
  LINERATE_NCCL_CALLS(ENTRY, ENTRY)
#undef ENTRY

  int version = 0;   // of the library: 22809 is 2.28.9
  std::string path;  // of the library's file; empty for a test's
};

inline constexpr int kOldestVersion = NCCL_VERSION(2, 18, 0);

// 22809 -> "2.28.9". Also the numbers of NCCL before 2.9: 2804 -> "2.8.4".
std::string version_text(int version);

// Opens `path`, or where it is empty libnccl.so.2 as the dynamic linker finds it; it stays open.
// Throws Unavailable, with what to do, where there is none or it is older than 2.18.
NcclApi load_nccl(const std::string& path);

}  // namespace linerate::nccl
