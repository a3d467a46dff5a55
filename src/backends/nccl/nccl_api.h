// The calls of NCCL that linerate makes, as a table: of a library loaded at run time, or a test's.
#pragma once

#include <nccl.h>
#include <nccl_device.h>

#include <string>

namespace linerate::nccl {

// Each entry is NCCL's function of that name, with its contract. Entries below a version are null
// where the library is older.
struct NcclApi {
  decltype(&ncclGetVersion) get_version = nullptr;
  decltype(&ncclGetErrorString) get_error_string = nullptr;
  decltype(&ncclGetLastError) get_last_error = nullptr;
  decltype(&ncclGetUniqueId) get_unique_id = nullptr;
  decltype(&ncclCommInitRankConfig) comm_init_rank_config = nullptr;
  decltype(&ncclCommDestroy) comm_destroy = nullptr;
  decltype(&ncclCommAbort) comm_abort = nullptr;
  decltype(&ncclCommGetAsyncError) comm_get_async_error = nullptr;
  decltype(&ncclCommSplit) comm_split = nullptr;
  decltype(&ncclCommUserRank) comm_user_rank = nullptr;
  decltype(&ncclCommCount) comm_count = nullptr;
  decltype(&ncclAllReduce) all_reduce = nullptr;
  decltype(&ncclAllGather) all_gather = nullptr;
  decltype(&ncclReduceScatter) reduce_scatter = nullptr;
  decltype(&ncclBroadcast) broadcast = nullptr;
  decltype(&ncclReduce) reduce = nullptr;
  decltype(&ncclSend) send = nullptr;
  decltype(&ncclRecv) recv = nullptr;
  decltype(&ncclGroupStart) group_start = nullptr;
  decltype(&ncclGroupEnd) group_end = nullptr;
  decltype(&ncclRedOpCreatePreMulSum) red_op_create_pre_mul_sum = nullptr;
  decltype(&ncclRedOpDestroy) red_op_destroy = nullptr;

  // 2.19
  decltype(&ncclMemAlloc) mem_alloc = nullptr;
  decltype(&ncclMemFree) mem_free = nullptr;
  decltype(&ncclCommRegister) comm_register = nullptr;
  decltype(&ncclCommDeregister) comm_deregister = nullptr;
  // 2.27
  decltype(&ncclCommWindowRegister) comm_window_register = nullptr;
  decltype(&ncclCommWindowDeregister) comm_window_deregister = nullptr;
  // 2.28
  decltype(&ncclAlltoAll) all_to_all = nullptr;
  decltype(&ncclGather) gather = nullptr;
  decltype(&ncclScatter) scatter = nullptr;
  decltype(&ncclDevCommCreate) dev_comm_create = nullptr;
  decltype(&ncclDevCommDestroy) dev_comm_destroy = nullptr;

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
