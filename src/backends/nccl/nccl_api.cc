#include "backends/nccl/nccl_api.h"

#include "base/error.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <link.h>

#include <string_view>

namespace linerate::nccl {
namespace {

constexpr std::string_view kHowToGet =
    "Install NCCL (libnccl2 of NVIDIA's repository, or pip install nvidia-nccl-cu13), or name its "
    "file with --nccl-lib.";

std::string loader_error() {
  const char* const text = dlerror();
  return text == nullptr ? "unknown reason" : text;
}

// The symbols of an open library; the first that is missing is remembered.
class Symbols {
 public:
  explicit Symbols(void* library) : library_(library) {}

  template <typename Function>
  void need(Function*& entry, const char* name) {
    want(entry, name);
    if (entry == nullptr && missing_.empty()) missing_ = name;
  }
  template <typename Function>
  void want(Function*& entry, const char* name) {
    entry = reinterpret_cast<Function*>(dlsym(library_, name));
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

void find_management(Symbols& symbols, NcclApi& api) {
  symbols.need(api.get_version, "ncclGetVersion");
  symbols.need(api.get_error_string, "ncclGetErrorString");
  symbols.need(api.get_last_error, "ncclGetLastError");
  symbols.need(api.get_unique_id, "ncclGetUniqueId");
  symbols.need(api.comm_init_rank_config, "ncclCommInitRankConfig");
  symbols.need(api.comm_destroy, "ncclCommDestroy");
  symbols.need(api.comm_abort, "ncclCommAbort");
  symbols.need(api.comm_get_async_error, "ncclCommGetAsyncError");
  symbols.need(api.comm_split, "ncclCommSplit");
  symbols.need(api.comm_user_rank, "ncclCommUserRank");
  symbols.need(api.comm_count, "ncclCommCount");
}

void find_calls(Symbols& symbols, NcclApi& api) {
  symbols.need(api.all_reduce, "ncclAllReduce");
  symbols.need(api.all_gather, "ncclAllGather");
  symbols.need(api.reduce_scatter, "ncclReduceScatter");
  symbols.need(api.broadcast, "ncclBroadcast");
  symbols.need(api.reduce, "ncclReduce");
  symbols.need(api.send, "ncclSend");
  symbols.need(api.recv, "ncclRecv");
  symbols.need(api.group_start, "ncclGroupStart");
  symbols.need(api.group_end, "ncclGroupEnd");
  symbols.need(api.red_op_create_pre_mul_sum, "ncclRedOpCreatePreMulSum");
  symbols.need(api.red_op_destroy, "ncclRedOpDestroy");
}

void find_newer(Symbols& symbols, NcclApi& api) {
  symbols.want(api.mem_alloc, "ncclMemAlloc");
  symbols.want(api.mem_free, "ncclMemFree");
  symbols.want(api.comm_register, "ncclCommRegister");
  symbols.want(api.comm_deregister, "ncclCommDeregister");
  symbols.want(api.comm_window_register, "ncclCommWindowRegister");
  symbols.want(api.comm_window_deregister, "ncclCommWindowDeregister");
  symbols.want(api.all_to_all, "ncclAlltoAll");
  symbols.want(api.gather, "ncclGather");
  symbols.want(api.scatter, "ncclScatter");
  symbols.want(api.dev_comm_create, "ncclDevCommCreate");
  symbols.want(api.dev_comm_destroy, "ncclDevCommDestroy");
}

std::string path_of(void* library) {
  link_map* map = nullptr;
  return dlinfo(library, RTLD_DI_LINKMAP, static_cast<void*>(&map)) == 0 ? map->l_name
                                                                         : std::string();
}

// The version first: a library that is too old lacks symbols, but says so best by its number.
void check_version(const NcclApi& api) {
  if (api.version >= kOldestVersion) return;
  throw Unavailable(fmt::format("{} is NCCL {}; linerate needs {} or newer. {}", api.path,
                                version_text(api.version), version_text(kOldestVersion),
                                kHowToGet));
}

}  // namespace

std::string version_text(int version) {
  const int unit = version < 10'000 ? 1000 : 10'000;  // NCCL changed its formula with 2.9
  return fmt::format("{}.{}.{}", version / unit, version % unit / 100, version % 100);
}

NcclApi load_nccl(const std::string& path) {
  const std::string wanted = path.empty() ? "libnccl.so.2" : path;
  void* const library = dlopen(wanted.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr)
    throw Unavailable(fmt::format("NCCL cannot be loaded: {}. {}", loader_error(), kHowToGet));
  NcclApi api;
  api.path = path_of(library);
  Symbols symbols(library);
  find_management(symbols, api);
  if (api.get_version == nullptr)
    throw Unavailable(
        fmt::format("{} is not NCCL: it has no ncclGetVersion. {}", wanted, kHowToGet));
  (void)api.get_version(&api.version);
  check_version(api);
  find_calls(symbols, api);
  if (!symbols.missing().empty())
    throw Unavailable(fmt::format("{}, NCCL {}, has no {}. {}", api.path, version_text(api.version),
                                  symbols.missing(), kHowToGet));
  find_newer(symbols, api);
  return api;
}

}  // namespace linerate::nccl
