// Memory, limits, processors and the operating system.
#include "base/text.h"
#include "diagnose/node/checks.h"
#include "topo/detect/sysfs.h"

#include <fmt/format.h>

#include <algorithm>

namespace linerate::node {

std::string line_of(const Snapshot& snapshot, std::string_view fact, std::string_view key) {
  const auto* text = snapshot.find(fact);
  if (text == nullptr) return {};
  for (const auto& line : split(*text, '\n'))
    if (line.starts_with(key)) return std::string(trim(std::string_view(line).substr(key.size())));
  return {};
}

namespace {

constexpr double kGiB = 1 << 30;
constexpr std::string_view kGovernors = "/sys/devices/system/cpu/*/cpufreq/scaling_governor";
constexpr std::string_view kIdleLatencies = "/sys/devices/system/cpu/cpu0/cpuidle/*/latency";

// Of /proc/meminfo, in bytes; 0: not told.
double memory_of(const Snapshot& snapshot, std::string_view key) {
  constexpr double kKilo = 1024;
  return number_before(" kB", line_of(snapshot, "/proc/meminfo", key)) * kKilo;
}

// The soft limit as text of /proc/self/limits, or the hard one; empty: not told.
std::string limit_text(const Snapshot& snapshot, std::string_view name, bool hard) {
  const auto line = line_of(snapshot, "/proc/self/limits", name);
  std::vector<std::string> words = split(line, ' ');
  std::erase(words, "");
  return words.size() < 2 ? std::string() : words[hard ? 1 : 0];
}

std::vector<Seen> when(bool wrong, std::string subject, std::string evidence) {
  if (!wrong) return {};
  return {{.subject = std::move(subject), .evidence = std::move(evidence)}};
}

}  // namespace

// tmpfs takes half of the memory unless it is told otherwise: of a small machine that is all there
// can be.
std::vector<Seen> looks::shm_size(const Snapshot& snapshot, const Limits& limits) {
  constexpr double kDeliberate = 0.25;
  const auto size = snapshot.number("size /dev/shm").value_or(limits.shm_bytes);
  const auto memory = memory_of(snapshot, "MemTotal:");
  if (size >= limits.shm_bytes || (memory > 0 && size > kDeliberate * memory)) return {};
  return {{.subject = "/dev/shm",
           .evidence = fmt::format("It holds {:.0f} MiB (statvfs).", size / (1 << 20)),
           .severity = size < limits.shm_least_bytes ? Severity::problem : Severity::warning}};
}

std::vector<Seen> looks::shm_full(const Snapshot& snapshot, const Limits& limits) {
  constexpr double kNearlyFull = 0.1;
  const auto size = snapshot.number("size /dev/shm").value_or(0);
  const auto free = snapshot.number("free /dev/shm").value_or(size);
  return when(
      free < kNearlyFull * size && free < limits.shm_least_bytes, "/dev/shm",
      fmt::format("{:.0f} of {:.0f} MiB are free (statvfs).", free / (1 << 20), size / (1 << 20)));
}

// The hard limit: NCCL raises its own up to there (src/bootstrap.cc, setFilesLimit()).
std::vector<Seen> looks::open_files(const Snapshot& snapshot, const Limits& limits) {
  const auto text = limit_text(snapshot, "Max open files", true);
  const auto number = parse_number("", text);
  if (!number || *number >= limits.open_files) return {};
  return {{.subject = "open files",
           .evidence = fmt::format("The hard limit is {} (/proc/self/limits).", text),
           .severity = needs::several_job_devices(snapshot) ? Severity::warning : Severity::info}};
}

std::vector<Seen> looks::stack_limit(const Snapshot& snapshot, const Limits&) {
  return when(limit_text(snapshot, "Max stack size", false) == "unlimited", "stack size",
              "The limit is unlimited (/proc/self/limits).");
}

std::vector<Seen> looks::cpu_quota(const Snapshot& snapshot, const Limits&) {
  const auto cpus =
      topo::threads_in_list(line_of(snapshot, "/proc/self/status", "Cpus_allowed_list:")).size();
  const auto quota = snapshot.number("cgroup cpu.max").value_or(static_cast<double>(cpus));
  return when(quota < static_cast<double>(cpus), "this control group",
              fmt::format("It may use {:.3g} of {} processors' time (cpu.max).", quota, cpus));
}

std::vector<Seen> looks::clock_source(const Snapshot& snapshot, const Limits&) {
  const auto* source =
      snapshot.find("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  const bool slow = source != nullptr && (*source == "hpet" || *source == "acpi_pm" ||
                                          *source == "jiffies" || *source == "refined-jiffies");
  return when(slow, "the clock",
              slow ? fmt::format("Linux reads it from {} (/sys/devices/system/"
                                 "clocksource/clocksource0).",
                                 *source)
                   : std::string());
}

std::vector<Seen> looks::governor(const Snapshot& snapshot, const Limits&) {
  const auto found = snapshot.matching(kGovernors).front();
  return when(found.second != "performance", "processors",
              fmt::format("The governor is {} ({}).", found.second, found.first));
}

std::vector<Seen> looks::idle_states(const Snapshot& snapshot, const Limits& limits) {
  double slowest = 0;
  for (const auto& [key, value] : snapshot.matching(kIdleLatencies)) {
    const auto folder = std::string(key.substr(0, key.rfind('/')));
    const auto* disabled = snapshot.find(folder + "/disable");
    if (disabled != nullptr && *disabled != "0") continue;
    slowest = std::max(slowest, snapshot.number(key).value_or(0));
  }
  return when(slowest > limits.idle_latency_us, "processors",
              fmt::format("Waking from the deepest idle state takes {:.0f} us "
                          "(/sys/devices/system/cpu/cpu0/cpuidle).",
                          slowest));
}

std::vector<Seen> looks::numa_balancing(const Snapshot& snapshot, const Limits&) {
  return when(snapshot.number("/proc/sys/kernel/numa_balancing").value_or(0) != 0, "the kernel",
              "NUMA balancing is on (/proc/sys/kernel/numa_balancing).");
}

std::vector<Seen> looks::swap_used(const Snapshot& snapshot, const Limits& limits) {
  const auto used = memory_of(snapshot, "SwapTotal:") - memory_of(snapshot, "SwapFree:");
  return when(used > limits.swap_bytes, "swap",
              fmt::format("{:.3g} GiB are swapped out (/proc/meminfo).", used / kGiB));
}

std::vector<Seen> looks::low_memory(const Snapshot& snapshot, const Limits& limits) {
  constexpr double kNearlyAll = 0.05;
  const auto total = memory_of(snapshot, "MemTotal:");
  const auto available = memory_of(snapshot, "MemAvailable:");
  return when(available > 0 && available < limits.memory_bytes && available < kNearlyAll * total,
              "memory",
              fmt::format("{:.3g} of {:.4g} GiB are available (/proc/meminfo).", available / kGiB,
                          total / kGiB));
}

bool needs::cpu_quota(const Snapshot& snapshot) { return snapshot.has("cgroup cpu.max"); }

bool needs::memory_limit(const Snapshot& snapshot) { return snapshot.has("cgroup memory.max"); }

std::vector<Seen> looks::memory_limit(const Snapshot& snapshot, const Limits&) {
  constexpr double kNearlyAll = 0.9;
  const auto most = snapshot.number("cgroup memory.max").value_or(0);
  const auto held = snapshot.number("cgroup memory.stat").value_or(0);
  auto seen = when(held > kNearlyAll * most, "this control group",
                   fmt::format("It holds {:.3g} of the {:.3g} GiB that it may, without the cache "
                               "of files (memory.stat, memory.max).",
                               held / kGiB, most / kGiB));
  const auto killed = line_of(snapshot, "cgroup memory.events", "oom_kill ");
  if (number_before("", killed) > 0)
    seen.push_back({.subject = "this control group",
                    .evidence = fmt::format("{} of its processes were killed for lack of memory "
                                            "(memory.events).",
                                            killed)});
  return seen;
}

bool needs::set_frequencies(const Snapshot& snapshot) {
  return needs::job_devices(snapshot) && snapshot.has(kGovernors);
}

bool needs::idle_states(const Snapshot& snapshot) {
  return needs::job_devices(snapshot) && snapshot.has(kIdleLatencies);
}

// What Docker's filter of system calls lets pass with CAP_SYS_NICE alone. CUDA asks for memory of a
// NUMA node so, and NCCL for the memory that ranks of a node share.
std::vector<Seen> looks::numa_calls(const Snapshot& snapshot, const Limits&) {
  const auto* answer = snapshot.find("call get_mempolicy");
  return when(answer != nullptr && *answer != "allowed", "this process",
              fmt::format("It may not choose the NUMA node of its memory: get_mempolicy is {}.",
                          answer == nullptr ? "" : *answer));
}

// Of libfabric's efa provider, whose buffers lie in huge pages where there are some.
std::vector<Seen> looks::huge_pages(const Snapshot& snapshot, const Limits&) {
  const auto pages = line_of(snapshot, "/proc/meminfo", "HugePages_Total:");
  return when(pages == "0", "memory", "There are no huge pages (HugePages_Total, /proc/meminfo).");
}

bool needs::systemd_of_job(const Snapshot& snapshot) {
  return needs::job_devices(snapshot) && snapshot.has("logind RemoveIPC");
}

std::vector<Seen> looks::remove_ipc(const Snapshot& snapshot, const Limits&) {
  const auto* value = snapshot.find("logind RemoveIPC");
  const bool off = *value == "no" || *value == "false" || *value == "off" || *value == "0";
  return when(!off, "systemd",
              fmt::format("RemoveIPC is {} (/etc/systemd/logind.conf, logind.conf.d).", *value));
}

std::vector<Seen> looks::far_cpus(const Snapshot& snapshot, const Limits&) {
  const auto allowed = line_of(snapshot, "/proc/self/status", "Cpus_allowed_list:");
  const auto mine = topo::threads_in_list(allowed);
  std::vector<Seen> seen;
  for (const auto& device : job_devices(snapshot)) {
    const auto* list = snapshot.find(device.path + "/local_cpulist");
    if (list == nullptr || mine.empty()) continue;
    const auto near = topo::threads_in_list(*list);
    const bool shared =
        std::ranges::any_of(near, [&](int thread) { return mine.contains(thread); });
    if (!near.empty() && !shared)
      seen.push_back({.subject = device.name,
                      .evidence = fmt::format("It is near processors {} (local_cpulist); this "
                                              "process may use {} (/proc/self/status).",
                                              *list, allowed)});
  }
  return seen;
}

std::vector<Seen> looks::socket_buffers(const Snapshot& snapshot, const Limits& limits) {
  constexpr double kFastMbps = 25000;
  double fastest = 0;
  for (const auto& [key, speed] : snapshot.matching("/sys/class/net/*/speed"))
    fastest = std::max(fastest, snapshot.number(key).value_or(0));
  std::vector<Seen> seen;
  for (const auto* name : {"/proc/sys/net/ipv4/tcp_rmem", "/proc/sys/net/ipv4/tcp_wmem"}) {
    const auto* text = snapshot.find(name);
    if (text == nullptr || fastest < kFastMbps) continue;
    const auto most = parse_number("", trim(text->substr(text->find_last_of(" \t") + 1)));
    if (most && *most < limits.socket_buffer_bytes)
      seen.push_back(
          {.subject = "TCP",
           .evidence = fmt::format("Buffers grow to {:.3g} MiB ({}).", *most / (1 << 20), name)});
  }
  return seen;
}

bool needs::own_address_in_job(const Snapshot& snapshot) {
  return needs::job_devices(snapshot) && snapshot.has("hosts own name");
}

std::vector<Seen> looks::hostname_address(const Snapshot& snapshot, const Limits&) {
  if (*snapshot.find("hosts own name") != "loopback") return {};
  return {{.subject = snapshot.node,
           .evidence = "Its address is a loopback one (/etc/hosts).",
           .severity = needs::active_rdma(snapshot) ? Severity::warning : Severity::info}};
}

std::vector<Seen> looks::hostname(const Snapshot& snapshot, const Limits&) {
  return when(snapshot.node.starts_with("localhost"), "the hostname",
              fmt::format("It is {} (/proc/sys/kernel/hostname).", snapshot.node));
}

}  // namespace linerate::node
