// The entry point of liblinerate-gloo.so.
#include "comm/plugin.h"

#include "backends/gloo/gloo_backend.h"

namespace {

constexpr linerate::Plugin kPlugin{
    .name = "gloo",
    .start = nullptr,
    .make_backend = [](const linerate::PluginInput& input, linerate::JobSession*) {
      return linerate::gloo::make_gloo_backend(input.clock, linerate::Environment::of_process());
    }};

}  // namespace

extern "C" const linerate::Plugin* linerate_plugin() { return &kPlugin; }
