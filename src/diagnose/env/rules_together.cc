// Rules about several settings: those that exclude each other, and those that others switch off.
#include "base/text.h"
#include "diagnose/env/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace linerate::env {
namespace {

// Whether the variable is set to this value, in any case, or at all.
bool is_set_to(const Process& process, std::string_view name, std::string_view value) {
  const auto* setting = process.find(name);
  if (setting == nullptr || value.empty()) return setting != nullptr;
  return !setting->computed && lower(setting->value) == lower(value);
}

Finding clash(const Setting& one, const Setting& other, std::string why, std::string advice) {
  auto finding = about("contradiction", Severity::problem, one, std::move(why), std::move(advice));
  finding.subject += " and " + subject_of(other);
  return finding;
}

void judge_channels(const Process& process, Findings& findings) {
  for (const auto* least : {"NCCL_MIN_CTAS", "NCCL_MIN_NCHANNELS"})
    for (const auto* most : {"NCCL_MAX_CTAS", "NCCL_MAX_NCHANNELS"}) {
      const auto from = whole_of(process, least), to = whole_of(process, most);
      if (from && to && *to > 0 && *from > *to)
        findings.push_back(clash(*process.find(least), *process.find(most),
                                 "The least number is above the greatest.",
                                 fmt::format("set {}={} or less", least, *to)));
    }
}

void judge_sockets(const Process& process, Findings& findings) {
  constexpr long long kMostSockets = 64;  // net_socket.cc, MAX_SOCKETS
  constexpr std::string_view kThreads = "NCCL_SOCKET_NTHREADS", kEach = "NCCL_NSOCKS_PERTHREAD";
  const auto threads = whole_of(process, kThreads), each = whole_of(process, kEach);
  if (!threads || !each || *threads <= 0 || *threads > kMostSockets) return;
  if (const auto most = kMostSockets / *threads; *each > most)
    findings.push_back(clash(*process.find(kThreads), *process.find(kEach),
                             "A connection has at most 64 sockets, threads times sockets of each.",
                             fmt::format("set {}={}", kEach, most)));
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
     "NVLink between hosts needs memory of the cuMem functions: by version the start fails, or it "
     "stays off.",
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

// Networks that come with variables of their own, by the beginnings of these.
struct Platform {
  std::string_view prefix, name;
};
constexpr std::string_view kEfa = "AWS' EFA", kSlingshot = "HPE Slingshot",
                           kTcpx = "Google's GPUDirect-TCPX", kInfiniBand = "InfiniBand or RoCE";
constexpr auto kPlatforms = std::to_array<Platform>({
    {"FI_EFA_", kEfa},
    {"FI_CXI_", kSlingshot},
    {"NCCL_FASTRAK_", kTcpx},
    {"NCCL_GPUDIRECTTCPX_", kTcpx},
    {"NCCL_IB_HCA", kInfiniBand},
    {"NCCL_IB_GID_INDEX", kInfiniBand},
    {"NCCL_IB_TC", kInfiniBand},
    {"NCCL_IB_SL", kInfiniBand},
});

// Empty: the setting is for any.
std::string_view platform_of(const Setting& setting) {
  for (const auto& row : kPlatforms)
    if (setting.name.starts_with(row.prefix)) return row.name;
  if (setting.name != "FI_PROVIDER") return {};
  const auto provider = lower(setting.value);
  return provider == "efa" ? kEfa : provider == "cxi" ? kSlingshot : std::string_view();
}

void judge_exclusions(const Process& process, Findings& findings) {
  for (const auto& row : kExclusions)
    if (is_set_to(process, row.one, row.one_value) &&
        is_set_to(process, row.other, row.other_value))
      findings.push_back(clash(*process.find(row.one), *process.find(row.other),
                               std::string(row.why), std::string(row.advice)));
}

void judge_switches(const Process& process, Findings& findings) {
  for (const auto& row : kSwitches) {
    const auto* cause = process.find(row.name);
    const bool unset = cause == nullptr;
    if (row.value.empty() ? !unset : !is_set_to(process, row.name, row.value)) continue;
    for (const auto& name : split(row.without_effect, ' '))
      if (const auto* setting = process.find(name); setting != nullptr)
        findings.push_back(
            about("no-effect", Severity::warning, *setting,
                  fmt::format("It has no effect, because {}: {} is {}.", row.why, row.name,
                              unset ? "not set here" : plain_text(cause->value)),
                  fmt::format("leave it out, or {} {}", unset ? "set" : "change", row.name)));
  }
  if (whole_of(process, "NCCL_IB_GID_INDEX").value_or(-1) < 0) return;
  for (const auto* name : {"NCCL_IB_ADDR_FAMILY", "NCCL_IB_ADDR_RANGE", "NCCL_IB_ROCE_VERSION_NUM"})
    if (const auto* setting = process.find(name))
      findings.push_back(about("no-effect", Severity::warning, *setting,
                               "It has no effect, because NCCL_IB_GID_INDEX names the address.",
                               "leave NCCL_IB_GID_INDEX out"));
}

// Of the platforms that are set, those with the fewest settings are probably copied.
void judge_platforms(const Process& process, Findings& findings) {
  std::map<std::string_view, std::vector<const Setting*>> seen;
  for (const auto* setting : process.settings)
    if (const auto platform = platform_of(*setting); !platform.empty())
      seen[platform].push_back(setting);
  if (seen.size() < 2) return;
  const auto most =
      std::ranges::max_element(seen, {}, [](const auto& entry) { return entry.second.size(); });
  for (const auto& [platform, settings] : seen)
    for (const auto* setting : settings)
      if (platform != most->first)
        findings.push_back(
            about("other-platform", Severity::warning, *setting,
                  fmt::format("It is for {}, and other settings are for {}: {}.", platform,
                              most->first, subject_of(*most->second.front())),
                  "keep the settings of the network that is there"));
}

void judge_amd(const Process& process, Findings& findings) {
  const auto amd = std::ranges::find_if(process.settings, [](const Setting* setting) {
    return (setting->name.starts_with("RCCL_") || setting->name.starts_with("HSA_")) &&
           !is_harmless(setting->name);
  });
  if (amd != process.settings.end())
    findings.push_back(about("other-platform", Severity::info, **amd,
                             "It is for AMD GPUs. RCCL reads NCCL's variables too, and has ranges "
                             "and defaults of its own: what is said of them here is NCCL's.",
                             "leave it out on NVIDIA GPUs"));
}

}  // namespace

void judge_together(const Process& process, Findings& findings) {
  judge_exclusions(process, findings);
  judge_channels(process, findings);
  judge_sockets(process, findings);
  judge_switches(process, findings);
  judge_platforms(process, findings);
  judge_amd(process, findings);
}

}  // namespace linerate::env
