// Values that do what they say, and are seldom wanted.
#include "base/text.h"
#include "diagnose/env/rules.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

namespace linerate::env {
namespace {

std::optional<Finding> default_value(const Judged& of) {
  if (of.row.usual.empty() || of.row.usual_since > of.nccl ||
      lower(of.setting.value) != lower(of.row.usual))
    return {};
  return of.found("default-value", Severity::info, "That is the default.",
                  "leave it out, so that a better default of a newer version can act");
}

// NCCL compares beginnings, unless '=' stands in front of the list.
std::optional<Finding> loose_match(const Judged& of) {
  const bool hca = of.row.name == "NCCL_IB_HCA";
  const bool excludes = of.setting.value.starts_with('^');
  const auto list = of.setting.value.substr(excludes ? 1 : 0);
  if ((!hca && of.row.name != "NCCL_SOCKET_IFNAME") || list.starts_with('=')) return {};
  for (const auto& entry : words_of(list, ',')) {
    const auto name = entry.substr(0, entry.find(':'));
    const bool ends_in_1 = name.ends_with("_1") || (!hca && name == "eth1");
    if (ends_in_1)
      return of.found(
          "loose-match", Severity::info,
          fmt::format("NCCL compares beginnings: {0} is also {0}0 to {0}9 where these "
                      "exist.",
                      plain_text(name)),
          fmt::format("set {}={}={}", of.row.name, excludes ? "^" : "", plain_text(list)));
  }
  return {};
}

// Values that do what they say, and should be left out.
struct Advice {
  std::string_view rule;
  Severity severity;
  std::string_view name, value;  // in any case
  std::string_view why, advice;
};
constexpr auto kInfo = Severity::info, kWarning = Severity::warning;
constexpr std::string_view kCosts = "costs-speed", kBetter = "better-unset",
                           kAfterTests = "leave it out once the fault it works around is found",
                           kOfDebugging = "leave it out when you are not debugging",
                           kThroughHost =
                               "GPUs of a node exchange data through host memory "
                               "instead of directly over NVLink or PCIe.";
constexpr auto kAdvices = std::to_array<Advice>({
    {kCosts, kWarning, "NCCL_P2P_DISABLE", "1", kThroughHost, kAfterTests},
    {kCosts, kWarning, "NCCL_P2P_LEVEL", "LOC", kThroughHost, kAfterTests},
    {kCosts, kWarning, "NCCL_SHM_DISABLE", "1",
     "Ranks of a node without peer access talk over the network instead of shared memory.",
     kAfterTests},
    {kCosts, kWarning, "NCCL_IB_DISABLE", "1",
     "NCCL's own InfiniBand and RoCE transport is off: without a network plugin, nodes talk over "
     "TCP sockets.",
     "leave it out where there are RDMA adapters"},
    {kCosts, kWarning, "NCCL_NET", "Socket",
     "Nodes talk over TCP sockets, also where there is InfiniBand or RoCE.",
     "leave it out where there are RDMA adapters"},
    {kCosts, kWarning, "NCCL_NET_GDR_LEVEL", "LOC",
     "Data goes from GPU to host memory before it goes to the network: GPUDirect is off.",
     kAfterTests},
    {kCosts, kInfo, "NCCL_NVLS_ENABLE", "0",
     "Reductions in the NVSwitches (NVLink SHARP) are off, which are faster where they exist.",
     kAfterTests},
    {kCosts, kInfo, "NCCL_CUMEM_ENABLE", "0",
     "Allocation with the cuMem functions is off, which NVLink between hosts needs.", kAfterTests},
    {kCosts, kWarning, "NCCL_DEBUG", "TRACE",
     "The log is written by every rank, and grows with each call.",
     "set NCCL_DEBUG=WARN when you are not debugging"},
    {kCosts, kInfo, "NCCL_DEBUG", "INFO",
     "Every rank writes a log of some hundred lines at its start.",
     "set NCCL_DEBUG=WARN when you are not debugging"},
    {kCosts, kWarning, "CUDA_LAUNCH_BLOCKING", "1",
     "Each launch waits for its kernel: communication and computation never overlap.",
     kOfDebugging},
    {kCosts, kWarning, "TORCH_NCCL_BLOCKING_WAIT", "1",
     "wait() blocks the host until the collective has ended, and its overlap is lost.",
     "leave it out: TORCH_NCCL_ASYNC_ERROR_HANDLING, on by default, ends a job that hangs"},
    {kCosts, kWarning, "TORCH_DISTRIBUTED_DEBUG", "DETAIL",
     "PyTorch checks every collective between all ranks before it runs it.", kOfDebugging},
    {kBetter, kWarning, "NCCL_SOCKET_IFNAME", "lo",
     "The loopback interface reaches only this host: jobs on several nodes cannot start.",
     "set NCCL_SOCKET_IFNAME to the interface between the nodes, such as eth0"},
});

std::optional<Finding> listed_advice(const Judged& of) {
  auto value = lower(trim(of.setting.value));
  if (of.row.kind == Kind::boolean && value.find_first_of("ty") == 0) value = "1";  // true, yes
  for (const auto& row : kAdvices)
    if (row.name == of.row.name && lower(row.value) == value)
      return of.found(row.rule, row.severity, std::string(row.why), std::string(row.advice));
  return {};
}

std::optional<Finding> better_unset(const Judged& of) {
  constexpr Release kChoosesGid{21, 0}, kFallsBackNoMore{24, 0};
  const auto value = lower(plain_text(of.setting.value));
  const auto has = [&](std::string_view text) { return value.find(text) != std::string::npos; };
  if (of.row.name == "NCCL_IB_GID_INDEX" && of.nccl >= kChoosesGid &&
      std::isdigit(static_cast<unsigned char>(value.front())) != 0)
    return of.found(kBetter, kInfo,
                    "Since 2.21 NCCL finds the index of a RoCE address itself; a fixed one is "
                    "wrong on a node whose table differs.",
                    "leave it out, or choose by NCCL_IB_ADDR_RANGE");
  if (of.row.name == "NCCL_ALGO" && of.nccl >= kFallsBackNoMore && !has("^") && !has(":") &&
      !has("ring"))
    return of.found(kBetter, kWarning,
                    "Since 2.24 NCCL no longer falls back to Ring: a collective that has none of "
                    "these algorithms fails.",
                    fmt::format("name the collectives, as in allreduce:{}, or add ring", value));
  if (of.row.name == "NCCL_PROTO" && has("ll128") && !has("^"))
    return of.found(kBetter, kWarning,
                    "It allows LL128 also where NCCL would not: on platforms that do not keep "
                    "stores of 128 bytes together data may be corrupted.",
                    "leave it out: NCCL uses LL128 where it is safe");
  return {};
}

}  // namespace

std::span<const ValueRule> advice_rules() {
  static constexpr std::array<ValueRule, 4> kRules{default_value, loose_match, listed_advice,
                                                   better_unset};
  return kRules;
}

}  // namespace linerate::env
