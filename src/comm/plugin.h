// What a backend in a shared library hands to the program that opens it.
#pragma once

#include "base/clock.h"
#include "comm/backend.h"
#include "comm/bootstrap.h"
#include "comm/copy_bench.h"
#include "comm/gpu_options.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace linerate {

// The job of a foreign library (MPI's), joined by this process. Made and destroyed on the main
// thread; it outlives everything that came from it. Destroying it while the stack unwinds, or after
// a call timed out, ends the job instead of waiting for the others.
class JobSession {
 public:
  virtual ~JobSession() = default;

  // Over the job's processes; the same object every time.
  virtual Bootstrap& bootstrap() = 0;
};

// What a plugin needs to know of its process.
struct PluginInput {
  const Clock& clock;  // outlives all that the plugin makes
  NodePlace here;      // hostname and identity only
  // The place of member `rank` when member r runs on host number hosts[r] (launch/place.h).
  NodePlace (*place_within)(std::span<const int> hosts, int rank) = nullptr;
  Deadline deadline{};    // of the start
  std::string library{};  // file of the foreign library to load; empty: as the linker finds it
  GpuOptions gpu{};
  bool observes = false;  // Communicator::observe() will be asked for
};

// Raised whenever a type that a plugin shares with the program changes its layout or meaning.
inline constexpr std::uint32_t kPluginAbi = 10;

// The table that a plugin's entry point yields; static in the plugin. Its functions may throw.
struct Plugin {
  std::uint32_t abi = kPluginAbi;
  const char* name = "";
  // Null where the library has no job of its own.
  std::unique_ptr<JobSession> (*start)(const PluginInput&) = nullptr;
  // `session` is what start() made, or null.
  std::unique_ptr<Backend> (*make_backend)(const PluginInput&, JobSession* session) = nullptr;
  // What Backend::version() will say; no job is joined. Throws Unavailable where what the library
  // needs is missing: a GPU.
  std::string (*version)(const PluginInput&) = nullptr;
  // Null where it has no memory of its own to copy.
  std::unique_ptr<CopyBench> (*make_copy_bench)(const PluginInput&) = nullptr;
};

// The symbol that every plugin exports: extern "C" const Plugin* linerate_plugin().
inline constexpr const char* kPluginEntry = "linerate_plugin";
using PluginEntry = const Plugin* (*)();

}  // namespace linerate
