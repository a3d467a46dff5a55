// Every backend in one row, and how it is opened by name.
#pragma once

#include "backends/fake/fake_options.h"
#include "backends/host/host_backend.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/result.h"
#include "comm/backend.h"
#include "comm/plugin.h"

#include <memory>
#include <span>
#include <string_view>

namespace linerate {

struct BackendInput {
  const Clock& clock;  // outlives the backend
  const Environment& environment;
  FakeOptions fake{};                              // of the fake backend
  std::shared_ptr<const host::Network> network{};  // that the host backend emulates; null: none
  std::string library{};                           // --nccl-lib: file of the foreign library
  GpuOptions gpu{};                                // of the nccl backend
  bool ranks_stay = false;                         // HostOptions::ranks_stay
  bool observes = false;                           // PluginInput::observes
  JobSession* session = nullptr;  // of the backend's module, where it has one; outlives the backend
};

struct BackendRow {
  std::string_view name;
  std::string_view summary;  // for --help and the docs: one line
  std::string_view install;  // a module: what to do when its library is missing; else empty
  std::unique_ptr<Backend> (*make)(const BackendInput&) = nullptr;  // null: a module
};

std::span<const BackendRow> all_backends();

// The row of this name; the sentence lists the choices.
Result<const BackendRow*> find_backend(std::string_view name);

using OpenedBackend = std::unique_ptr<Backend>;

// REQUIRES: the module's session where it has one (mpi). Throws Unavailable, see load_module().
OpenedBackend open_backend(const BackendRow& row, const BackendInput& input);

// Of a module: its library's version, as Backend::version() says. No job is joined. Throws
// Unavailable, see load_module(), or where what the library needs is missing: a GPU.
std::string backend_version(const BackendRow& row, const BackendInput& input);

// The memories that the row's module copies between. Throws Unavailable where the module is not
// here or has none. `input.clock` outlives it.
std::unique_ptr<CopyBench> open_copy_bench(const BackendRow& row, const BackendInput& input);

// Joins the job of the row's module: MPI_Init. Null where the row's library has no job. Throws
// Unavailable where the module or its library is not here.
std::unique_ptr<JobSession> open_session(const BackendRow& row, const PluginInput& input,
                                         const Environment& environment);

}  // namespace linerate
