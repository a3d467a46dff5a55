// See offer.h.
#include "backends/nccl/profiler/offer.h"

#include "backends/nccl/nccl_api.h"
#include "backends/nccl/profiler/entry_points.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace linerate::nccl::profiler {
namespace {

constexpr int kOldestThatTells = NCCL_VERSION(2, 24, 0);
constexpr std::size_t kLongestName = 254;  // src/plugin/plugin_open.cc of 2.26 to 2.30

}  // namespace

std::string own_file() {
  Dl_info info{};
  if (dladdr(&ncclProfiler_v5, &info) == 0) return {};
  std::error_code failed;
  const auto file = std::filesystem::canonical(info.dli_fname, failed);
  return failed ? std::string(info.dli_fname) : file.string();
}

std::string offer(int nccl_version, const std::string& file) {
  if (nccl_version < kOldestThatTells)
    return fmt::format("note: algorithms are not recorded: NCCL {} does not tell them, 2.24 does",
                       version_text(nccl_version));
  const char* const given = std::getenv(kPluginVariable);
  const std::string wanted = given == nullptr ? "" : given;
  if (!wanted.empty() && wanted != file)
    return fmt::format(
        "note: algorithms are not recorded: {} is '{}', and NCCL loads one profiler only; unset it "
        "to have them",
        kPluginVariable, wanted);
  if (file.empty())
    return "note: algorithms are not recorded: the file of the nccl module is unknown here";
  if (file.size() > kLongestName)
    return fmt::format(
        "note: algorithms are not recorded: NCCL does not open names as long as '{}'; install "
        "linerate elsewhere to have them",
        file);
  ::setenv(kPluginVariable, file.c_str(), 1);
  return {};
}

}  // namespace linerate::nccl::profiler
