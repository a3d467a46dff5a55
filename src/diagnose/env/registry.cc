// Tables are small: rows are looked for from the first on.
#include "diagnose/env/registry.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace linerate::env {
namespace {

constexpr std::string_view kNccl = "NCCL_";
constexpr int kLastPatch = 99;  // of every minor version

// The longest prefix first, where one begins with another.
constexpr auto kFamilies = std::to_array<Family>({
    {"TORCH_NCCL_", "PyTorch", true},
    {kNccl, "NCCL", true},
    {"TORCH_DISTRIBUTED_", "PyTorch"},
    {"OFI_NCCL_", "the OFI plugin"},
    {"UCX_", "UCX"},
    {"OMPI_MCA_", "Open MPI"},
    {"PMIX_MCA_", "PMIx"},
    {"FI_", "libfabric"},
    {"CUDA_LAUNCH_", "CUDA"},
    {"GLOO_", "Gloo"},
    {"RCCL_", "RCCL"},
    {"HSA_", "ROCm"},
});

// NCCL's prefix with one slip of the hand.
constexpr auto kSlips = std::to_array<std::string_view>({"NCLL_", "NCL_", "NNCL_", "NCCCL_"});

// Names of builds and images end so, and those of plugins begin so.
constexpr auto kHarmlessEnds = std::to_array<std::string_view>({
    "_VERSION",
    "_HOME",
    "_ROOT",
    "_DIR",
    "_DIRS",
    "_PATH",
    "_PREFIX",
    "_LIB",
    "_LIBRARY",
    "_TAG",
    "_COMMIT",
    "_REPO",
    "_URL",
    "_PACKAGE",
    "_LIBRARIES",
});
constexpr auto kHarmlessPrefixes = std::to_array<std::string_view>({
    "NCCL_TESTS_",
    "NCCL_TEST_",
    "NCCL_IBEXT_",
    "NCCL_SHARP_",
    "NCCL_UCX_",
    "NCCL_FASTRAK_",
    "NCCL_SHIMNET_",
    "NCCL_USE_SNAP",
    "NCCL_DYNAMIC_CHUNK_SIZE",
    "NCCL_PROFILE_",
    "NCCL_PROFILER_",
    "NCCL_GPUDIRECTTCPX_",
    "NCCL_INSPECTOR_",
    "NCCL_GIB_",
    "NCCL_EP_",
    "NCCL_CHECKPOINT_",
    "NCCL_PLUGIN_P2P",
    "NCCL_TUNER_CONFIG_FILE",
});

// Whether one letter more, less, other or swapped with its neighbour makes `a` of `b`.
bool one_edit_apart(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  if (a.size() - b.size() > 1) return false;
  const auto first = static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
  const auto behind = [](std::string_view text, std::size_t at) {
    return text.substr(std::min(at, text.size()));
  };
  if (a.size() > b.size()) return behind(a, first + 1) == behind(b, first);
  if (behind(a, first + 1) == behind(b, first + 1)) return true;
  return first + 1 < a.size() && a[first] == b[first + 1] && a[first + 1] == b[first] &&
         behind(a, first + 2) == behind(b, first + 2);
}

std::vector<std::string_view> names_below(const Family& family) {
  std::vector<std::string_view> names;
  for (const auto rows : {nccl_variables(), other_variables()})
    for (const auto& row : rows)
      if (row.name.starts_with(family.prefix)) names.push_back(row.name);
  return names;
}

int number_at(std::string_view& text) {
  int value = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return code == std::errc{} ? value : -1;
}

}  // namespace

Result<Release> parse_release(std::string_view text) {
  constexpr int kMostMinor = 99;
  const Failure failure{fmt::format(
      "'{}' is no version of NCCL 2: give one such as 2.21 or 2.21.5.", plain_text(text))};
  auto rest = text.substr(0, text.find("+cuda"));   // as NCCL prints it
  if (rest.ends_with("-1")) rest.remove_suffix(2);  // as its packages and tags are called
  if (!rest.starts_with("2.")) return failure;
  rest.remove_prefix(2);
  Release release{.minor = number_at(rest), .patch = kLastPatch};
  if (rest.starts_with('.')) {
    rest.remove_prefix(1);
    release.patch = number_at(rest);
  }
  const bool good = release.minor >= 0 && release.minor <= kMostMinor && release.patch >= 0 &&
                    release.patch <= kLastPatch && rest.empty();
  if (!good) return failure;
  return release;
}

std::string text_of(const Release& release) {
  if (release.patch == 0 || release.patch == kLastPatch) return fmt::format("2.{}", release.minor);
  return fmt::format("2.{}.{}", release.minor, release.patch);
}

bool is_newer_than_known(const Release& release) {
  return release.patch == kLastPatch ? release.minor > kNewest.minor : release > kNewest;
}

const Variable* find_variable(std::string_view name) {
  for (const auto rows : {nccl_variables(), other_variables()})
    for (const auto& row : rows)
      if (row.name == name) return &row;
  return nullptr;
}

const UnreadName* find_unread(std::string_view name) {
  const auto rows = unread_names();
  const auto row = std::ranges::find(rows, name, &UnreadName::name);
  return row == rows.end() ? nullptr : &*row;
}

const Family* family_of(std::string_view name) {
  for (const auto& family : kFamilies)
    if (name.starts_with(family.prefix)) return &family;
  for (const auto slip : kSlips)
    if (name.starts_with(slip)) return family_of(kNccl);
  return nullptr;
}

bool is_harmless(std::string_view name) {
  return std::ranges::any_of(kHarmlessEnds, [&](auto end) { return name.ends_with(end); }) ||
         std::ranges::any_of(kHarmlessPrefixes, [&](auto p) { return name.starts_with(p); });
}

std::string_view meant_name(std::string_view name) {
  const auto* family = family_of(name);
  constexpr std::size_t kLongest = 100;  // no known name is half as long
  if (family == nullptr || name.size() > kLongest) return {};
  const auto names = names_below(*family);
  for (const auto known : names)
    if (lower(known) == lower(name)) return known;
  if (!family->complete) {
    constexpr std::size_t kShortest = 6;  // OMPI_MCA_plm is a name too, and no OMPI_MCA_pml
    if (name.size() < family->prefix.size() + kShortest) return {};
    const auto near = std::ranges::find_if(names, [&](auto k) { return one_edit_apart(k, name); });
    return near == names.end() ? std::string_view() : *near;
  }
  // Prefixes that all have in common would make all of them near.
  if (!name.starts_with(family->prefix)) return nearest_match(name, names);
  std::vector<std::string_view> tails;
  for (const auto known : names) tails.push_back(known.substr(family->prefix.size()));
  const auto tail = nearest_match(name.substr(family->prefix.size()), tails);
  const auto found = std::ranges::find(tails, tail);
  return tail.empty() ? tail : names[static_cast<std::size_t>(found - tails.begin())];
}

bool is_undocumented_number(std::string_view name) {
  constexpr std::string_view kTexts =
      " COMM_ID GIN_PLUGIN GRAPH_DUMP_FILE GRAPH_FILE HOSTID IBVERBS_LIB NET_FORCE_MERGE "
      "NET_MERGE_LEVEL NO_CACHE PARAM_DUMP_ALL PROXY_CPUSET PROXY_PROFILE RMA_PLUGIN SYM_KERNEL "
      "THREAD_THRESHOLDS WARN_ENABLE_DEBUG_INFO ";
  return kTexts.find(fmt::format(" {} ", name.substr(kNccl.size()))) == std::string_view::npos;
}

const Undocumented* find_undocumented(std::string_view name) {
  if (!name.starts_with(kNccl)) return nullptr;
  name.remove_prefix(kNccl.size());
  for (const auto& row : undocumented_names())
    for (const auto& known : split(row.names, ' '))
      if (known == name) return &row;
  return nullptr;
}

}  // namespace linerate::env
