// What costs speed although nothing fails, from the facts of a log.
#include "base/text.h"
#include "diagnose/log/report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace linerate::logs {
namespace {

using Findings = std::vector<Finding>;

// Ranks may well differ in these: names of files, what to print, who they are.
constexpr std::array<std::string_view, 9> kOwnSettings{
    "NCCL_DEBUG",    "NCCL_DEBUG_FILE",      "NCCL_DEBUG_SUBSYS", "NCCL_TOPO_DUMP_FILE",
    "NCCL_HOSTID",   "NCCL_GRAPH_DUMP_FILE", "NCCL_COMM_ID",      "NCCL_IGNORE_CPU_AFFINITY",
    "NCCL_CONF_FILE"};

std::set<std::string> hosts_of(const LogFacts& facts) {
  std::set<std::string> hosts;
  if (const auto* job = facts.job())
    for (const auto& [rank, seen] : job->ranks) hosts.insert(seen.host);
  for (const auto& [network, places] : facts.networks) hosts.insert(places.begin(), places.end());
  hosts.erase("");
  return hosts;
}

bool is_set(const LogFacts& facts, const std::string& name, std::string_view value) {
  const auto found = facts.settings.find(name);
  return found != facts.settings.end() && found->second.contains(std::string(value));
}

struct Share {
  std::size_t yes = 0, no = 0;
};

// Sockets, and those of a plugin (NET/FastSocket), have none.
bool may_have_gpudirect(std::string_view transport) {
  return transport.starts_with("NET/") && transport.find("Socket") == std::string_view::npos;
}

Share gpudirect(const LogFacts& facts, bool sends) {
  Share share;
  for (const auto& [key, count] : facts.channels)
    if (may_have_gpudirect(key.transport) && key.sends == sends)
      (key.gpudirect ? share.yes : share.no) += count;
  return share;
}

std::size_t channels_of(const LogFacts& facts, std::string_view kind) {
  std::size_t n = 0;
  for (const auto& [key, count] : facts.channels)
    if (key.transport.starts_with(kind)) n += count;
  return n;
}

bool ranks_are_absent(const LogFacts& facts) {
  const auto* job = facts.job();
  return job != nullptr && std::ssize(job->ranks) < job->nranks;
}

Findings sockets(const LogFacts& facts) {
  // A channel of a network leads to another host, although the log may show one alone.
  const bool across = channels_of(facts, "NET/Socket") > 0;
  const bool used = across || facts.networks.contains("Socket");
  if (!used || (hosts_of(facts).size() < 2 && !(across && ranks_are_absent(facts)))) return {};
  std::string why;
  if (is_set(facts, "NCCL_IB_DISABLE", "1")) why = "NCCL_IB_DISABLE=1 is set";
  if (is_set(facts, "NCCL_NET", "Socket")) why = "NCCL_NET=Socket is set";
  if (why.empty() && !facts.devices.empty())
    why = fmt::format("InfiniBand is there: {}", facts.devices.begin()->first);
  Finding finding{.rule = "sockets-between-hosts",
                  .severity = why.empty() ? Severity::info : Severity::warning,
                  .subject = "the network",
                  .evidence = "NCCL uses TCP sockets between hosts",
                  .advice =
                      "if the hosts have InfiniBand or RoCE: NCCL_NET=IB makes its absence an "
                      "error, whose reason NCCL_DEBUG=INFO shows"};
  if (!why.empty()) {
    finding.evidence += ", and " + why;
    finding.advice = "unset it, or set NCCL_NET=IB, unless sockets are what you want";
  } else if (facts.settings.contains("NCCL_IB_HCA")) {
    finding.severity = Severity::warning;
    finding.evidence += ", although NCCL_IB_HCA names adapters: it has found none of them";
  }
  return {std::move(finding)};
}

Findings mixed_networks(const LogFacts& facts) {
  if (facts.networks.size() < 2) return {};
  std::vector<std::string> parts;
  for (const auto& [network, hosts] : facts.networks)
    parts.push_back(fmt::format("{} on {}", network, fmt::join(hosts, ", ")));
  return {{.rule = "mixed-networks",
           .subject = fmt::format("{} networks", facts.networks.size()),
           .evidence = fmt::format("ranks use different networks: {}", fmt::join(parts, "; ")),
           .advice = "find out why the others have no InfiniBand: NCCL_NET=IB makes it an error",
           .confidence = 0.8}};
}

Findings gpudirect_off(const LogFacts& facts) {
  const auto send = gpudirect(facts, true), receive = gpudirect(facts, false);
  constexpr std::string_view kAdvice =
      "on the hosts that lack it: modprobe nvidia_peermem, or use the open kernel modules with "
      "DMA-BUF (on EFA: an instance that has it, p4d or newer); "
      "linerate topo --lint says how far GPU and NIC are apart [NVIDIA/nccl#897, NVIDIA/nccl#1537]";
  if (send.yes + receive.yes == 0 && send.no + receive.no > 0)
    return {{.rule = "gpudirect-off",
             .subject = counted(send.no + receive.no, "channel"),
             .evidence = "no channel between hosts uses GPUDirect RDMA: data goes through the "
                         "hosts' memory",
             .advice = std::string(kAdvice),
             .confidence = 0.8}};
  if (send.yes > 0 && receive.yes == 0 && receive.no > 0)
    return {{.rule = "gpudirect-one-way",
             .subject = counted(receive.no, "channel"),
             .evidence = fmt::format("GPUDirect RDMA is used by {} that send, and by none of {} "
                                     "that receive: one side lacks peer memory",
                                     counted(send.yes, "channel"), receive.no),
             .advice = std::string(kAdvice),
             .confidence = 0.8}};
  return {};
}

Findings off_by_setting(const LogFacts& facts) {
  Findings findings;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kSwitches{{
      {"NCCL_P2P_DISABLE", "GPUs of a host exchange data through its memory"},
      {"NCCL_SHM_DISABLE", "ranks of a host that have no P2P exchange data through the network"},
  }};
  for (const auto& [name, effect] : kSwitches)
    if (is_set(facts, std::string(name), "1"))
      findings.push_back({.rule = "disabled-by-setting",
                          .subject = std::string(name),
                          .evidence = fmt::format("{} is set to 1: {}", name, effect),
                          .advice = "unset it, unless it is needed to run at all: then look for "
                                    "the reason (ACS, IOMMU, /dev/shm)"});
  return findings;
}

Findings shared_memory(const LogFacts& facts) {
  const auto shm = channels_of(facts, "SHM");
  if (shm == 0 || is_set(facts, "NCCL_P2P_DISABLE", "1")) return {};
  return {{.rule = "no-peer-access",
           .severity = Severity::info,
           .subject = counted(shm, "channel"),
           .evidence = "GPUs of a host exchange data through its memory (SHM), not directly (P2P)",
           .advice =
               "this is usual across sockets without NVLink; else nvidia-smi topo -p2p r shows why",
           .confidence = 0.7}};
}

Findings network_within_host(const LogFacts& facts) {
  const auto* job = facts.job();
  const auto net = channels_of(facts, "NET/");
  const bool whole = job != nullptr && job->ranks.size() == static_cast<std::size_t>(job->nranks);
  if (!whole || hosts_of(facts).size() != 1 || net == 0) return {};
  return {{.rule = "network-within-host",
           .subject = counted(net, "channel"),
           .evidence =
               "ranks of one host exchange data through the network: neither P2P nor shared "
               "memory is used between them",
           .advice = "unset NCCL_P2P_DISABLE and NCCL_SHM_DISABLE; containers of a host need a "
                     "common /dev/shm and hostname",
           .confidence = 0.8}};
}

Findings versions_differ(const LogFacts& facts) {
  std::set<std::string> releases;  // without the "+cuda12.4" that not every line has
  for (const auto& version : facts.versions) releases.insert(version.substr(0, version.find('+')));
  if (releases.size() < 2) return {};
  return {{.rule = "versions-differ",
           .subject = fmt::format("{} versions", releases.size()),
           .evidence = fmt::format("the log has NCCL {}", fmt::join(releases, " and ")),
           .advice = "install one version on all hosts of a job",
           .confidence = 0.6}};
}

Findings settings_differ(const LogFacts& facts) {
  Findings findings;
  for (const auto& [name, values] : facts.settings) {
    if (values.size() < 2 || std::ranges::find(kOwnSettings, name) != kOwnSettings.end()) continue;
    std::vector<std::string> parts;
    for (const auto& [value, places] : values)
      if (parts.size() < 4)
        parts.push_back(
            fmt::format("{} on {}{}", value, facts.name_of(*places.begin()),
                        places.size() == 1 ? "" : fmt::format(" and {} more", places.size() - 1)));
    findings.push_back({.rule = "settings-differ",
                        .subject = name,
                        .evidence = fmt::format("it is {}", fmt::join(parts, "; ")),
                        .advice = "set it the same on all ranks, unless hosts differ",
                        .confidence = 0.7});
  }
  return findings;
}

Findings not_initialised(const LogFacts& facts) {
  const auto* job = facts.job();
  const auto done = job == nullptr ? 0 : job->completed();
  if (job == nullptr || done == job->ranks.size()) return {};
  const bool absent = job->ranks.size() < static_cast<std::size_t>(job->nranks);
  return {{.rule = "initialisation-open",
           .severity = absent && done == 0 ? Severity::warning : Severity::info,
           .subject = fmt::format("{} of {} ranks", job->ranks.size() - done, job->nranks),
           .evidence = "the log ends before their initialisation does." + missing_text(facts),
           .advice = absent ? "give the logs of all ranks; if the job hangs there, look at those "
                              "that did not come"
                            : "if the job hangs there, look at what the last of them waits for",
           .confidence = 0.5}};
}

}  // namespace

std::vector<Finding> slow_path_findings(const LogFacts& facts) {
  constexpr std::array<Findings (*)(const LogFacts&), 9> kRules{
      sockets,         mixed_networks,  gpudirect_off,
      off_by_setting,  shared_memory,   network_within_host,
      versions_differ, settings_differ, not_initialised};
  Findings findings;
  for (const auto rule : kRules)
    for (auto& finding : rule(facts)) findings.push_back(std::move(finding));
  return findings;
}

}  // namespace linerate::logs
