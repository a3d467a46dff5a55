// The entry point of liblinerate-mpi.so.
#include "comm/plugin.h"

#include "backends/mpi/mpi_backend.h"

#include <memory>

namespace {

constexpr linerate::Plugin kPlugin{
    .name = "mpi",
    .start = [](const linerate::PluginInput& input) -> std::unique_ptr<linerate::JobSession> {
      return std::make_unique<linerate::mpi::MpiSession>(input);
    },
    .make_backend =
        [](const linerate::PluginInput& input, linerate::JobSession*) {
          return linerate::mpi::make_mpi_backend(input.clock);
        },
    .version = [](const linerate::PluginInput&) { return linerate::mpi::library_version(); }};

}  // namespace

extern "C" const linerate::Plugin* linerate_plugin() { return &kPlugin; }
