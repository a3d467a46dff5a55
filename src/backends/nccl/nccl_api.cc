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

void find_calls(Symbols& symbols, NcclApi& api) {
#define NEEDED(entry, function) symbols.need(api.entry, #function);
#define NEWER(entry, function) symbols.want(api.entry, #function);
  LINERATE_NCCL_CALLS(NEEDED, NEWER)
#undef NEEDED
#undef NEWER
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
  find_calls(symbols, api);
  if (api.get_version == nullptr)
    throw Unavailable(
        fmt::format("{} is not NCCL: it has no ncclGetVersion. {}", wanted, kHowToGet));
  (void)api.get_version(&api.version);
  check_version(api);
  if (!symbols.missing().empty())
    throw Unavailable(fmt::format("{}, NCCL {}, has no {}. {}", api.path, version_text(api.version),
                                  symbols.missing(), kHowToGet));
  return api;
}

}  // namespace linerate::nccl
