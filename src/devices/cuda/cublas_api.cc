#include "devices/cuda/cublas_api.h"

#include "base/error.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <filesystem>
#include <string_view>
#include <system_error>

namespace linerate::cuda {
namespace {

constexpr std::string_view kHowToGet =
    "Install libcublas of the CUDA toolkit, or beside pip's NCCL by pip install nvidia-cublas (of "
    "CUDA 12: nvidia-cublas-cu12), or add its folder to LD_LIBRARY_PATH.";

std::vector<int> majors() {
  constexpr int kBuilt = CUDART_VERSION / 1000;
  std::vector<int> all{kBuilt};
  for (const int other : {13, 12})
    if (other != kBuilt) all.push_back(other);
  return all;
}

template <typename Function>
void find(void* library, const std::string& file, Function*& entry, const char* name) {
  entry = reinterpret_cast<Function*>(dlsym(library, name));
  if (entry == nullptr)
    throw Unavailable(fmt::format("{} is not cuBLAS: it has no {}. {}", file, name, kHowToGet));
}

// Of what dlopen said. Where it searches itself, only that tells.
bool is_missing(const std::string& file, std::string_view text) {
  std::error_code unknown;
  return text.starts_with(file + ": cannot open") && !std::filesystem::exists(file, unknown);
}

}  // namespace

std::vector<std::string> cublas_files(const std::string& nccl_file) {
  using Path = std::filesystem::path;
  std::vector<std::string> files;
  for (const int major : majors()) {
    std::vector<Path> folders{""};
    if (const auto nccl = Path(nccl_file).parent_path(); !nccl.empty()) {
      const auto packages = nccl.parent_path().parent_path();  // of nvidia/nccl/lib
      folders.insert(folders.end(),
                     {nccl, packages / "cublas/lib", packages / fmt::format("cu{}/lib", major)});
    }
    folders.emplace_back("/usr/local/cuda/lib64");
    for (const auto& folder : folders)
      files.push_back(folder / fmt::format("libcublas.so.{}", major));
  }
  return files;
}

CublasApi load_cublas(std::span<const std::string> files) {
  std::string missing, broken;  // what is said of the first of each kind
  for (const auto& file : files) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
      const char* const error = dlerror();
      const std::string text = error == nullptr ? "unknown reason" : error;
      auto& reason = is_missing(file, text) ? missing : broken;
      if (reason.empty()) reason = text;
      continue;
    }
    CublasApi api{.file = file};
    find(library, file, api.create, "cublasCreate_v2");
    find(library, file, api.destroy, "cublasDestroy_v2");
    find(library, file, api.set_stream, "cublasSetStream_v2");
    find(library, file, api.gemm_ex, "cublasGemmEx");
    find(library, file, api.status_string, "cublasGetStatusString");
    return api;
  }
  throw Unavailable(
      fmt::format("cuBLAS cannot be loaded: {}. {}", broken.empty() ? missing : broken, kHowToGet));
}

}  // namespace linerate::cuda
