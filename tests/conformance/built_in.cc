// The conformance program of the backends that are built in.
#include "backends/fake/fake_backend.h"
#include "backends/host/host_backend.h"
#include "conformance/backends.h"

#include <array>

namespace linerate::conformance {
namespace {

constexpr std::array<BackendRow, 2> kBackends{{
    {"Host", [](const Clock& clock) { return make_host_backend(clock); }},
    {"Fake", [](const Clock&) { return make_fake_backend(FakeOptions{}); }},
}};

}  // namespace

std::span<const BackendRow> backends_under_test() { return kBackends; }

}  // namespace linerate::conformance
