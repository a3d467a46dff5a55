// The conformance program of the gloo backend: its ranks are threads, over TCP on loopback.
#include "backends/gloo/gloo_backend.h"
#include "conformance/backends.h"

#include <array>

namespace linerate::conformance {
namespace {

constexpr std::array<BackendRow, 1> kBackends{
    {{"Gloo", [](const Clock& clock) { return gloo::make_gloo_backend(clock, {}); }}}};

constexpr auto kRankCounts = std::to_array<int>({1, 2, 3, 8});

}  // namespace

std::span<const BackendRow> backends_under_test() { return kBackends; }
std::span<const int> rank_counts() { return std::span(kRankCounts).first(kSanitized ? 3 : 4); }
std::span<const BackendRow> algorithms_under_test() { return {}; }

}  // namespace linerate::conformance
