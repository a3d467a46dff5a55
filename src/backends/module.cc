// Tries each place in turn; the first file that is there decides.
#include "backends/module.h"

#include "base/error.h"
#include "base/installation.h"
#include "base/text.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>

namespace linerate {
namespace {

namespace fs = std::filesystem;

// In a build, and where it is installed (LINERATE_LIBDIR, as CMake was told: lib64).
constexpr std::string_view kFolders[] = {"lib", LINERATE_LIBDIR};

std::string file_name(std::string_view name) { return fmt::format("liblinerate-{}.so", name); }

// Of the installation only: who names a folder in a variable answers for it.
void check_trusted(const ModuleRequest& request, const std::string& path) {
  const auto root = installation_root(request.executable);
  for (const auto folder : kFolders) {
    const auto inside = fs::path(folder) / file_name(request.name);
    if (!root || path != *root / inside) continue;
    if (const auto reason = distrust(*root, inside))
      throw Unavailable(
          fmt::format("The {} backend is not loaded from {}: {}. Install linerate where "
                      "only its owner writes.",
                      request.name, path, *reason));
  }
}

[[noreturn]] void throw_missing(const ModuleRequest& request,
                                const std::vector<std::string>& candidates) {
  std::string places;
  for (std::size_t i = 0; i + 1 < candidates.size(); ++i)
    places += fmt::format("at {}, ", candidates[i]);
  throw Unavailable(fmt::format(
      "The {} backend is not here: {} is neither {}nor where the dynamic linker looks. Build "
      "linerate where its library is installed, or name the module's folder in "
      "LINERATE_MODULE_PATH. {}",
      request.name, file_name(request.name), places, request.install));
}

std::string loader_error() {
  const char* const text = dlerror();
  return text == nullptr ? "unknown reason" : text;
}

}  // namespace

std::vector<std::string> module_candidates(const ModuleRequest& request,
                                           const Environment& environment) {
  const auto file = file_name(request.name);
  std::vector<std::string> candidates;
  if (const auto root = installation_root(request.executable))
    for (const auto folder : kFolders)
      if (auto path = (*root / folder / file).string(); candidates.empty() || path != candidates[0])
        candidates.push_back(std::move(path));
  if (const auto folders = environment.get("LINERATE_MODULE_PATH"))
    for (const auto& folder : split(*folders, ':'))
      if (!folder.empty()) candidates.push_back((fs::path(folder) / file).string());
  candidates.push_back(file);
  return candidates;
}

std::string module_path(const ModuleRequest& request, const Environment& environment) {
  auto candidates = module_candidates(request, environment);
  candidates.pop_back();  // the linker's
  for (auto& path : candidates)
    if (::access(path.c_str(), F_OK) == 0) return std::move(path);
  return {};
}

const Plugin& load_module(const ModuleRequest& request, const Environment& environment) {
  const auto candidates = module_candidates(request, environment);
  for (const auto& path : candidates) {
    const bool by_linker = &path == &candidates.back();
    if (!by_linker && ::access(path.c_str(), F_OK) != 0) continue;
    check_trusted(request, path);
    void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (library == nullptr) {
      const auto reason = loader_error();
      // The linker's own search names our file when that is what it lacks.
      if (by_linker && reason.starts_with(path)) break;
      throw Unavailable(fmt::format("The {} backend cannot be opened: {}. {}", request.name, reason,
                                    request.install));
    }
    const auto entry = reinterpret_cast<PluginEntry>(dlsym(library, kPluginEntry));
    if (entry == nullptr)
      throw Unavailable(
          fmt::format("{} is no module of linerate: it has no symbol {}.", path, kPluginEntry));
    const Plugin& plugin = *entry();
    check_plugin(plugin, request.name, path);
    return plugin;
  }
  throw_missing(request, candidates);
}

void check_plugin(const Plugin& plugin, std::string_view name, std::string_view path) {
  if (plugin.abi != kPluginAbi)
    throw Unavailable(fmt::format(
        "{} belongs to another build of linerate (interface {}, this program has {}): build both "
        "from the same sources.",
        path, plugin.abi, kPluginAbi));
  if (plugin.name != name)
    throw Unavailable(fmt::format("{} is the {} backend, not {}.", path, plugin.name, name));
}

}  // namespace linerate
