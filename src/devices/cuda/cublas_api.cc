#include "devices/cuda/cublas_api.h"

#include "base/error.h"

#include <fmt/format.h>

#include <dlfcn.h>

#include <filesystem>
#include <string_view>

namespace linerate::cuda {
namespace {

constexpr std::string_view kHowToGet =
    "Install cuBLAS (libcublas of the CUDA toolkit, or pip install nvidia-cublas), or add its "
    "folder to LD_LIBRARY_PATH.";

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
  std::string reason;
  for (const auto& file : files) {
    void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
      const char* const text = dlerror();
      if (reason.empty()) reason = text == nullptr ? "unknown reason" : text;
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
  throw Unavailable(fmt::format("cuBLAS cannot be loaded: {}. {}", reason, kHowToGet));
}

}  // namespace linerate::cuda
