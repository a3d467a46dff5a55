// The entry point of liblinerate-gloo.so.
#include "comm/plugin.h"

#include "backends/gloo/gloo_backend.h"

namespace {

std::unique_ptr<linerate::Backend> make_backend(const linerate::PluginInput& input,
                                                linerate::JobSession*) {
  return linerate::gloo::make_gloo_backend(input.clock, linerate::Environment::of_process());
}

constexpr linerate::Plugin kPlugin{.name = "gloo",
                                   .start = nullptr,
                                   .make_backend = make_backend,
                                   .version = [](const linerate::PluginInput& input) {
                                     return make_backend(input, nullptr)->version();
                                   }};

}  // namespace

extern "C" const linerate::Plugin* linerate_plugin() { return &kPlugin; }
