// The conformance program of the backends that are built in.
#include "backends/fake/fake_backend.h"
#include "backends/host/host_backend.h"
#include "conformance/backends.h"

#include <array>

namespace linerate::conformance {
namespace {

std::unique_ptr<Backend> make_host(const Clock& clock) { return make_host_backend(clock); }
std::unique_ptr<Backend> make_fake(const Clock&) { return make_fake_backend(FakeOptions{}); }
// Ranks in groups of two, so that there is something to be hierarchical about.
std::unique_ptr<Backend> make_grouped_host(const Clock& clock) {
  return make_host_backend(clock, {.ranks_per_group = 2});
}

constexpr std::array<BackendRow, 2> kBackends{{{"Host", make_host}, {"Fake", make_fake}}};
constexpr auto kAlgorithms = std::to_array<BackendRow>({
    {"Flat", make_host, "flat"},
    {"Pull", make_host, "pull"},
    {"RecursiveDoubling", make_host, "recursive_doubling"},
    {"Ring", make_host, "ring"},
    {"Tree", make_host, "tree"},
    {"Hierarchical", make_grouped_host, "hierarchical"},
});

constexpr auto kRankCounts = std::to_array<int>({1, 2, 3, 8, 4, 5, 7});

}  // namespace

std::span<const BackendRow> backends_under_test() { return kBackends; }
std::span<const int> rank_counts() { return std::span(kRankCounts).first(kSanitized ? 4 : 7); }
std::span<const BackendRow> algorithms_under_test() { return kAlgorithms; }

}  // namespace linerate::conformance
