// Opens a backend that lies in a shared library: build/lib/liblinerate-<name>.so.
#pragma once

#include "base/environment.h"
#include "comm/plugin.h"

#include <string>
#include <string_view>
#include <vector>

namespace linerate {

struct ModuleRequest {
  std::string_view name;     // of the backend
  std::string_view install;  // what to do when its library is missing: a sentence
  std::string executable;    // path of the running program; empty: as the kernel knows it
};

// Where the module may lie, in order: lib/ of the installation that the executable belongs to, the
// folders of LINERATE_MODULE_PATH (separated by colons), and wherever the dynamic linker looks.
std::vector<std::string> module_candidates(const ModuleRequest& request,
                                           const Environment& environment);

// The first candidate that is there; empty: none, but where the dynamic linker looks.
std::string module_path(const ModuleRequest& request, const Environment& environment);

// Yields the plugin of the first candidate that exists. It stays in memory until the process ends,
// because buffers and errors may outlive every owner that could close it. Throws Unavailable where
// no candidate exists, where others than the installation's owner may write to the one that lies
// there, where a library that it needs is missing, or where it belongs to another build.
const Plugin& load_module(const ModuleRequest& request, const Environment& environment);

// Throws Unavailable unless the plugin is one of this build and of this backend.
void check_plugin(const Plugin& plugin, std::string_view name, std::string_view path);

}  // namespace linerate
