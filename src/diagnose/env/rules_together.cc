// Rules about several settings: those that exclude each other, and those that others switch off.
#include "base/text.h"
#include "diagnose/env/found.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace linerate::env {
namespace {

// Whether the variable is set to this value, in any case.
bool is_set_to(const Evidence& evidence, std::string_view name, std::string_view value) {
  const auto* setting = evidence.find(name);
  return setting != nullptr && !setting->computed && lower(setting->value) == lower(value);
}

Finding clash(const Setting& one, const Setting& other, std::string why, std::string advice) {
  auto finding = about(one, Severity::problem, std::move(why), std::move(advice));
  finding.subject += " and " + subject_of(other);
  return finding;
}

// The first of the names that is set, or null.
const Setting* first_set(const Evidence& evidence, std::initializer_list<std::string_view> names) {
  for (const auto name : names)
    if (const auto* setting = evidence.find(name)) return setting;
  return nullptr;
}

void find_channels(const Evidence& evidence, std::vector<Finding>& findings) {
  const auto* least = first_set(evidence, {"NCCL_MIN_CTAS", "NCCL_MIN_NCHANNELS"});
  const auto* most = first_set(evidence, {"NCCL_MAX_CTAS", "NCCL_MAX_NCHANNELS"});
  if (least == nullptr || most == nullptr) return;
  const auto from = whole_of(evidence, least->name), to = whole_of(evidence, most->name);
  if (from && to && *from > *to)
    findings.push_back(clash(*least, *most, "The least number is above the greatest.",
                             fmt::format("set {}={} or less", least->name, *to)));
}

void find_sockets(const Evidence& evidence, std::vector<Finding>& findings) {
  constexpr long long kMostSockets = 64;  // net_socket.cc, MAX_SOCKETS
  const auto threads = whole_of(evidence, "NCCL_SOCKET_NTHREADS");
  const auto each = whole_of(evidence, "NCCL_NSOCKS_PERTHREAD");
  if (!threads || !each || *threads <= 0 || *threads > kMostSockets) return;
  const auto most = kMostSockets / *threads;
  if (*each > most)
    findings.push_back(clash(*evidence.find("NCCL_SOCKET_NTHREADS"),
                             *evidence.find("NCCL_NSOCKS_PERTHREAD"),
                             "A connection has at most 64 sockets, threads times sockets of each.",
                             fmt::format("set NCCL_NSOCKS_PERTHREAD={}", most)));
}

// Settings that exclude each other.
struct Exclusion {
  std::string_view one, one_value;  // no value: any
  std::string_view other, other_value;
  std::string_view why, advice;
};
constexpr auto kExclusions = std::to_array<Exclusion>({
    {"NCCL_NET", "IB", "NCCL_IB_DISABLE", "1",
     "One insists on InfiniBand and the other switches it off: NCCL finds no network.",
     "leave NCCL_IB_DISABLE out"},
    {"NCCL_MNNVL_ENABLE", "1", "NCCL_CUMEM_ENABLE", "0",
     "NVLink between hosts needs memory of the cuMem functions: it stays off.",
     "leave NCCL_CUMEM_ENABLE out"},
    {"OMPI_MCA_btl_tcp_if_include", "", "OMPI_MCA_btl_tcp_if_exclude", "",
     "Open MPI takes one of the two, and refuses both.", "leave one of them out"},
    {"OMPI_MCA_oob_tcp_if_include", "", "OMPI_MCA_oob_tcp_if_exclude", "",
     "Open MPI takes one of the two, and refuses both.", "leave one of them out"},
});

// What switches others off. Prefixes end with an underscore.
struct Switch {
  std::string_view name, value;
  std::string_view without_effect;  // names and prefixes with blanks between them
  std::string_view why;
};
constexpr std::string_view kOfInfiniBand =
    "NCCL_IB_HCA NCCL_IB_GID_INDEX NCCL_IB_TIMEOUT NCCL_IB_RETRY_CNT NCCL_IB_SL NCCL_IB_TC "
    "NCCL_IB_FIFO_TC NCCL_IB_AR_THRESHOLD NCCL_IB_QPS_PER_CONNECTION NCCL_IB_SPLIT_DATA_ON_QPS "
    "NCCL_IB_PCI_RELAXED_ORDERING NCCL_IB_ADAPTIVE_ROUTING NCCL_IB_ADDR_FAMILY NCCL_IB_ADDR_RANGE "
    "NCCL_IB_ROCE_VERSION_NUM NCCL_IB_MERGE_NICS NCCL_IB_PKEY";
constexpr auto kSwitches = std::to_array<Switch>({
    {"NCCL_IB_DISABLE", "1", kOfInfiniBand, "InfiniBand is off"},
    {"NCCL_NET", "Socket", kOfInfiniBand, "the network is sockets"},
    {"NCCL_NET", "IB", "NCCL_SOCKET_NTHREADS NCCL_NSOCKS_PERTHREAD", "the network is InfiniBand"},
    {"NCCL_P2P_DISABLE", "1", "NCCL_P2P_LEVEL", "peer access is off whatever the distance"},
    {"NCCL_OOB_NET_ENABLE", "0", "NCCL_OOB_NET_IFNAME", "the start does not use that network"},
    {"NCCL_OOB_NET_ENABLE", "", "NCCL_OOB_NET_IFNAME", "the start does not use that network"},
    {"NCCL_RAS_ENABLE", "0", "NCCL_RAS_ADDR NCCL_RAS_TIMEOUT_FACTOR", "RAS is off"},
    {"NCCL_DEBUG", "WARN", "NCCL_DEBUG_SUBSYS", "subsystems choose lines of INFO and TRACE"},
    {"NCCL_DEBUG", "VERSION", "NCCL_DEBUG_SUBSYS NCCL_DEBUG_FILE", "only the version is logged"},
    {"NCCL_DEBUG", "", "NCCL_DEBUG_SUBSYS NCCL_DEBUG_FILE", "nothing is logged"},
    {"TORCH_NCCL_BLOCKING_WAIT", "1", "TORCH_NCCL_ASYNC_ERROR_HANDLING",
     "PyTorch handles errors within wait() then"},
});

// Networks that come with variables of their own.
struct Platform {
  std::string_view name;
  std::string_view prefixes;  // with blanks between them
  std::string_view provider;  // of libfabric; empty: none
};
constexpr auto kPlatforms = std::to_array<Platform>({
    {"AWS' EFA", "FI_EFA_", "efa"},
    {"HPE Slingshot", "FI_CXI_", "cxi"},
    {"Google's GPUDirect-TCPX", "NCCL_FASTRAK_ NCCL_GPUDIRECTTCPX_", "-"},
    {"InfiniBand or RoCE", "NCCL_IB_HCA NCCL_IB_GID_INDEX NCCL_IB_TC NCCL_IB_SL", "-"},
});

const Platform* platform_of(const Setting& setting) {
  for (const auto& platform : kPlatforms) {
    if (setting.name == "FI_PROVIDER" && lower(setting.value) == platform.provider)
      return &platform;
    for (const auto& prefix : split(platform.prefixes, ' '))
      if (setting.name.starts_with(prefix)) return &platform;
  }
  return nullptr;
}

}  // namespace

std::vector<Finding> rules::contradiction(const Evidence& evidence) {
  std::vector<Finding> findings;
  const auto holds = [&](std::string_view name, std::string_view value) {
    return value.empty() ? evidence.find(name) != nullptr : is_set_to(evidence, name, value);
  };
  for (const auto& row : kExclusions)
    if (holds(row.one, row.one_value) && holds(row.other, row.other_value))
      findings.push_back(clash(*evidence.find(row.one), *evidence.find(row.other),
                               std::string(row.why), std::string(row.advice)));
  find_channels(evidence, findings);
  find_sockets(evidence, findings);
  return findings;
}

std::vector<Finding> rules::no_effect(const Evidence& evidence) {
  std::vector<Finding> findings;
  for (const auto& row : kSwitches) {
    const auto* cause = evidence.find(row.name);
    const bool unset = row.value.empty() && cause == nullptr;
    if (!unset && (row.value.empty() || !is_set_to(evidence, row.name, row.value))) continue;
    for (const auto& name : split(row.without_effect, ' '))
      if (const auto* setting = evidence.find(name))
        findings.push_back(
            about(*setting, Severity::warning,
                  fmt::format("It has no effect, because {}: {} is {}.", row.why, row.name,
                              unset ? "not set" : plain_text(cause->value)),
                  fmt::format("leave it out, or {} {}", unset ? "set" : "change", row.name)));
  }
  const auto index = whole_of(evidence, "NCCL_IB_GID_INDEX");
  for (const auto* name : {"NCCL_IB_ADDR_FAMILY", "NCCL_IB_ADDR_RANGE", "NCCL_IB_ROCE_VERSION_NUM"})
    if (const auto* setting = evidence.find(name); setting != nullptr && index.value_or(-1) >= 0)
      findings.push_back(about(*setting, Severity::warning,
                               "It has no effect, because NCCL_IB_GID_INDEX names the address.",
                               "leave NCCL_IB_GID_INDEX out"));
  return findings;
}

// Of the platforms that are set, those with the fewest settings are probably copied.
std::vector<Finding> rules::other_platform(const Evidence& evidence) {
  std::map<const Platform*, std::vector<const Setting*>> seen;
  for (const auto& setting : evidence.settings)
    if (const auto* platform = platform_of(setting)) seen[platform].push_back(&setting);
  std::vector<Finding> findings;
  for (const auto& setting : evidence.settings)
    if (setting.name.starts_with("RCCL_") || setting.name.starts_with("HSA_"))
      findings.push_back(about(setting, Severity::info,
                               "Only RCCL and ROCm on AMD GPUs read it: NCCL does not.",
                               "leave it out on NVIDIA GPUs"));
  if (seen.size() < 2) return findings;
  const auto most =
      std::ranges::max_element(seen, {}, [](const auto& entry) { return entry.second.size(); });
  for (const auto& [platform, settings] : seen) {
    if (platform == most->first) continue;
    for (const auto* setting : settings)
      findings.push_back(
          about(*setting, Severity::warning,
                fmt::format("It is for {}, and other settings are for {}: {}.", platform->name,
                            most->first->name, subject_of(*most->second.front())),
                "keep the settings of the network that is there"));
  }
  return findings;
}

}  // namespace linerate::env
