// Only what the tables below name gets into a snapshot: no addresses, no users, no command lines.
#include "base/text.h"
#include "diagnose/node/snapshot_parts.h"
#include "topo/detect/sysfs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <set>

namespace linerate::node {
namespace {

namespace fs = std::filesystem;
using topo::names_in;
using topo::text_in;

constexpr std::size_t kMostOfFact = 4096;

// The lines, or with `separator` ' ' the words, that begin with one of `beginnings`.
std::string pieces_of(std::string_view text, char separator,
                      std::initializer_list<std::string_view> beginnings) {
  std::string kept;
  for (const auto& piece : split(text, separator))
    if (std::ranges::any_of(beginnings, [&](auto b) { return piece.starts_with(b); }))
      kept += (kept.empty() ? "" : std::string(1, separator)) + piece;
  return kept;
}

std::string keep_iommu(const std::string& text) {
  return pieces_of(text, ' ', {"iommu=", "iommu.", "intel_iommu=", "amd_iommu="});
}

std::string keep_status(const std::string& text) {
  return pieces_of(text, '\n', {"CapEff:", "Cpus_allowed_list:"});
}

std::string keep_limits(const std::string& text) {
  return pieces_of(text, '\n', {"Max locked memory", "Max open files", "Max stack size"});
}

std::string keep_memory(const std::string& text) {
  return pieces_of(text, '\n',
                   {"MemTotal:", "MemAvailable:", "SwapTotal:", "SwapFree:", "HugePages_Total:"});
}

// Of those of a port most are zero: no key.
std::string keep_key(const std::string& text) { return text == "0x0000" ? std::string() : text; }

std::string keep_name(const std::string& text) { return pieces_of(text, '\n', {"PRETTY_NAME="}); }

std::string keep_modules(const std::string& text) {
  std::set<std::string> names;  // in alphabetical order: theirs is that of loading
  for (const auto& line : split(text, '\n')) {
    const auto name = line.substr(0, line.find(' '));
    for (const std::string_view known :
         {"nvidia", "nv_peer", "mlx", "ib_", "rdma", "efa", "bnxt_re", "irdma", "gdrdrv", "amdgpu"})
      if (name.starts_with(known)) names.insert(name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

// Segments sent, and sent again: "Tcp:" stands before their names, and then before the numbers.
std::string keep_segments(const std::string& text) {
  std::vector<std::string> names;
  for (const auto& line : split(text, '\n')) {
    if (!line.starts_with("Tcp:")) continue;
    const auto words = split(line, ' ');
    if (names.empty()) {
      names = words;
      continue;
    }
    const auto of = [&](std::string_view name) {
      const auto at = std::ranges::find(names, name) - names.begin();
      return at < std::ssize(words) ? words[static_cast<std::size_t>(at)] : std::string();
    };
    return of("OutSegs") + ' ' + of("RetransSegs");
  }
  return {};
}

std::string keep_total(const std::string& text) {
  const auto line = text.rfind("TOTAL_ERR_");
  const auto blank = text.find(' ', std::min(line, text.size()));
  return blank == std::string::npos ? std::string() : std::string(trim(text.substr(blank)));
}

// Bytes of the largest region in lines of "0xfirst 0xlast 0xflags".
std::string keep_largest(const std::string& text) {
  std::uint64_t largest = 0;
  for (const auto& line : split(text, '\n')) {
    const auto words = split(line, ' ');
    if (words.size() < 2 || !words[0].starts_with("0x") || !words[1].starts_with("0x")) continue;
    const auto first = parse_hex(words[0].substr(2)), last = parse_hex(words[1].substr(2));
    if (first && last && *last > *first) largest = std::max(largest, *last - *first + 1);
  }
  return fmt::format("{}", largest);
}

// What of the last component of `pattern` is kept; | stands between several names.
struct Source {
  std::string_view pattern;
  std::string (*keep)(const std::string&) = nullptr;  // null: all
  bool merged = false;  // one fact, named by the pattern: the different texts, with commas
};

constexpr auto kSources = std::to_array<Source>({
    {"/proc/cmdline", keep_iommu},
    {"/proc/self/limits", keep_limits},
    {"/proc/self/status", keep_status},
    {"/proc/meminfo", keep_memory},
    {"/proc/modules", keep_modules},
    {"/proc/driver/nvidia/version|params"},
    {"/proc/sys/kernel/osrelease|numa_balancing"},
    {"/proc/sys/net/core/rmem_max|wmem_max"},
    {"/proc/sys/net/ipv4/tcp_rmem|tcp_wmem|ip_local_port_range"},
    {"/proc/net/snmp", keep_segments},
    {"/proc/sys/net/ipv4/conf/*/rp_filter|arp_ignore"},
    {"/etc/os-release", keep_name},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource"},
    {"/sys/devices/system/cpu/online|isolated"},
    {"/sys/devices/system/cpu/smt/control"},
    {"/sys/devices/system/cpu/*/cpufreq/scaling_governor", nullptr, true},
    {"/sys/devices/system/cpu/cpu0/cpuidle/*/name|latency|disable"},
    {"/sys/devices/system/node/online"},
    {"/sys/class/dmi/id/chassis_type"},
    {"/sys/kernel/mm/transparent_hugepage/enabled"},
    {"/sys/class/net/*/mtu|speed|duplex|operstate|carrier|type"},
    {"/sys/class/net/*/bonding/mode|xmit_hash_policy|slaves"},
    {"/sys/class/net/*/bonding_slave/mii_status"},
    {"/sys/class/net/*/statistics/rx_packets|rx_crc_errors|rx_fifo_errors|rx_missed_errors"},
    {"/sys/class/infiniband/*/fw_ver|hca_type|board_id"},
    {"/sys/class/infiniband/*/ports/*/state|phys_state|rate|link_layer|lid|sm_lid"},
    {"/sys/class/infiniband/*/ports/*/counters/symbol_error|link_error_recovery|link_downed|"
     "port_rcv_errors|port_xmit_discards|local_link_integrity_errors|"
     "excessive_buffer_overrun_errors"},
    {"/sys/class/infiniband/*/ports/*/hw_counters/local_ack_timeout_err|packet_seq_err|"
     "out_of_sequence|implied_nak_seq_err|rnr_nak_retry_err|np_cnp_sent|rp_cnp_handled"},
    {"/sys/class/net/*/ecn/roce_np/enable/*"},
    {"/sys/class/net/*/ecn/roce_rp/enable/*"},
    {"/sys/class/infiniband/*/ports/*/pkeys/*", keep_key},
    {"/sys/class/infiniband/*/device/net/*/mtu|carrier_changes"},
    {"/sys/class/infiniband/*/device/numa_node|local_cpulist"},
});

constexpr auto kPciSources = std::to_array<Source>({
    {"class|vendor|device|numa_node|local_cpulist"},
    {"current_link_speed|current_link_width|max_link_speed|max_link_width"},
    {"aer_dev_fatal|aer_dev_nonfatal|aer_dev_correctable", keep_total},
    {"resource", keep_largest},
    {"iommu_group/type"},
});

class Taker {
 public:
  explicit Taker(const fs::path& root) : root_(root) {}

  void add(std::string key, const std::string& text) {
    if (!text.empty()) snapshot.facts[std::move(key)] = text.substr(0, kMostOfFact);
  }

  void read(const Source& source) {
    std::set<std::string> texts;
    const auto last = source.pattern.rfind('/') + 1;
    for (const auto& name : split(source.pattern.substr(last), '|'))
      expand("", std::string(source.pattern.substr(0, last)) + name, [&](const std::string& key) {
        auto text = text_in(inside(key));
        if (source.keep != nullptr) text = source.keep(text);
        if (source.merged && !text.empty())
          texts.insert(text);
        else
          add(key, text);
      });
    add(std::string(source.pattern), fmt::format("{}", fmt::join(texts, ",")));
  }

  // Calls `found` with each path that `done` + `rest` stands for.
  void expand(const std::string& done, const std::string& rest, const auto& found) const {
    const auto star = rest.find("/*");
    if (star == std::string::npos) return found(done + rest);
    const auto folder = done + rest.substr(0, star);
    for (const auto& name : names_in(inside(folder)))
      expand(fmt::format("{}/{}", folder, name), rest.substr(star + 2), found);
  }

  fs::path inside(const std::string& key) const { return root_ / key.substr(1); }

  Snapshot snapshot{};

 private:
  const fs::path& root_;
};

void add_access(Taker& taker, const std::string& path) {
  const auto real = taker.inside(path);
  const bool there = ::access(real.c_str(), F_OK) == 0;
  const bool both = ::access(real.c_str(), R_OK | W_OK) == 0;
  taker.add("access " + path, both ? "read and write" : there ? "denied" : "absent");
}

void add_devices(Taker& taker) {
  for (const std::string_view folder : {"/dev/infiniband", "/dev"})
    for (const auto& name : names_in(taker.inside(std::string(folder))))
      if (name.starts_with("uverbs") || name == "nvidiactl" || name == "nvidia-uvm")
        add_access(taker, fmt::format("{}/{}", folder, name));
  for (const auto* always : {"/dev/nvidiactl", "/dev/nvidia-uvm"}) add_access(taker, always);
  constexpr std::string_view kChannels = "/dev/nvidia-caps-imex-channels";
  std::string access = "absent";
  for (const auto& name : names_in(taker.inside(std::string(kChannels)))) {
    const auto channel = taker.inside(fmt::format("{}/{}", kChannels, name));
    access = ::access(channel.c_str(), R_OK | W_OK) == 0 ? "read and write" : "denied";
    if (access != "denied") break;
  }
  taker.add(fmt::format("access {}", kChannels), access);
}

// Whether the filter of system calls lets the process ask for its NUMA policy.
void add_calls(Taker& taker) {
  const bool refused = ::syscall(SYS_get_mempolicy, nullptr, nullptr, 0UL, nullptr, 0UL) != 0;
  if (!refused || errno == EPERM) taker.add("call get_mempolicy", refused ? "refused" : "allowed");
}

void add_shm(Taker& taker) {
  struct statvfs status {};
  if (::statvfs(taker.inside("/dev/shm").c_str(), &status) != 0) return;
  taker.add("size /dev/shm", fmt::format("{}", status.f_blocks * status.f_frsize));
  taker.add("free /dev/shm", fmt::format("{}", status.f_bavail * status.f_frsize));
}

// GPUs, other accelerators, NICs and bridges, by the class' first byte or bytes.
bool is_looked_at(std::string_view pci_class) {
  return std::ranges::any_of(std::array{"0x02", "0x03", "0x12", "0x0604"},
                             [&](auto* beginning) { return pci_class.starts_with(beginning); });
}

void add_pci(Taker& taker) {
  constexpr std::string_view kDevices = "/sys/bus/pci/devices";
  for (const auto& name : names_in(taker.inside(std::string(kDevices)))) {
    const auto device = fmt::format("{}/{}/", kDevices, name);
    if (!is_looked_at(text_in(taker.inside(device + "class")))) continue;
    for (const auto& source : kPciSources) {
      const auto pattern = device + std::string(source.pattern);
      taker.read({pattern, source.keep});
    }
    for (const auto& rdma : names_in(taker.inside(device + "infiniband")))
      taker.add("rdma " + device.substr(0, device.size() - 1), rdma);
    std::ifstream file(taker.inside(device + "config"), std::ios::binary);
    std::array<char, 4096> config{};
    file.read(config.data(), config.size());
    const auto got = static_cast<std::size_t>(file.gcount());
    taker.add("pcie " + device.substr(0, device.size() - 1),
              pci_capabilities({config.data(), got}));
  }
}

// Kinds of the addresses of ports without the addresses: "RoCE v2 link-local". Beside them the
// least index of one that is routed, which NCCL_IB_GID_INDEX would name.
void add_gids(Taker& taker) {
  constexpr std::string_view kNone = "0000:0000:0000:0000:0000:0000:0000:0000";
  taker.expand("", "/sys/class/infiniband/*/ports/*/gids/*", [&](const std::string& key) {
    const auto gid = text_in(taker.inside(key));
    if (gid.empty() || gid == kNone) return;
    const auto cut = key.rfind("/gids/");
    const auto type =
        text_in(taker.inside(key.substr(0, cut) + "/gid_attrs/types/" + key.substr(cut + 6)));
    const auto* kind = gid.starts_with("fe80:")                            ? "link-local"
                       : gid.starts_with("0000:0000:0000:0000:0000:ffff:") ? "IPv4"
                                                                           : "global";
    if (!type.empty()) taker.add("gid " + key, fmt::format("{} {}", type, kind));
    const auto index = parse_integer("", key.substr(cut + 6));
    if (!type.starts_with("RoCE v2") || std::string_view(kind) != "IPv4" || !index) return;
    auto& least = taker.snapshot.facts["roce index " + key.substr(0, cut)];
    const auto known = parse_integer("", least);
    if (!known || *index < *known) least = std::to_string(*index);
  });
}

// Bytes of the group's memory.stat that the kernel cannot give back: not the cache of files.
double held_memory(const std::string& stat) {
  double bytes = 0;
  for (const auto& line : split(stat, '\n')) {
    const auto words = split(line, ' ');
    if (words[0] == "anon" || words[0] == "shmem" || words[0] == "slab_unreclaimable")
      bytes += number_before("", words.back());
  }
  return bytes;
}

// The least that a group or one above it allows (cgroup v2), and what stands against it.
void add_limits(Taker& taker) {
  std::string path;
  for (const auto& line : split(text_in(taker.inside("/proc/self/cgroup")), '\n'))
    if (line.starts_with("0::/")) path = line.substr(3);
  std::optional<double> cpus, memory;
  for (;; path.resize(path.rfind('/'))) {
    const auto group = "/sys/fs/cgroup" + (path == "/" ? std::string() : path);
    const auto words = split(text_in(taker.inside(group + "/cpu.max")), ' ');
    if (words.size() == 2)
      if (const auto quota = parse_number("", words[0]), period = parse_number("", words[1]);
          quota && period && *period > 0)
        cpus = std::min(cpus.value_or(*quota / *period), *quota / *period);
    const auto bytes = parse_number("", text_in(taker.inside(group + "/memory.max")));
    if (bytes && (!memory || *bytes < *memory)) {
      memory = *bytes;
      taker.snapshot.facts["cgroup memory.stat"] =
          fmt::format("{:.0f}", held_memory(text_in(taker.inside(group + "/memory.stat"))));
      taker.add("cgroup memory.events",
                pieces_of(text_in(taker.inside(group + "/memory.events")), '\n', {"oom_kill "}));
    }
    if (path.rfind('/') == std::string::npos) break;
  }
  if (cpus) taker.add("cgroup cpu.max", fmt::format("{:.3g}", *cpus));
  if (memory) taker.add("cgroup memory.max", fmt::format("{:.0f}", *memory));
}

}  // namespace

Snapshot take_snapshot(const fs::path& root) {
  Taker taker(root);
  taker.snapshot.node = text_in(root / "proc/sys/kernel/hostname");
  for (const auto& source : kSources) taker.read(source);
  add_devices(taker);
  if (root == "/") add_calls(taker);
  add_shm(taker);
  add_pci(taker);
  add_gids(taker);
  add_limits(taker);
  add_configured(taker.snapshot, root);
  for (const auto& line : split(text_in(root / "proc/meminfo"), '\n'))
    if (line.starts_with("MemTotal:"))
      taker.add("memory",
                fmt::format("{:.1f} GiB", number_before(" kB", trim(line.substr(9))) / (1 << 20)));
  const auto cpuinfo = text_in(root / "proc/cpuinfo");
  if (cpuinfo.find("\nflags") != std::string::npos)  // of x86 only
    taker.add("virtual machine", cpuinfo.find(" hypervisor") == std::string::npos ? "no" : "yes");
  if (const auto at = cpuinfo.find("model name"); at != std::string::npos)
    taker.add("processor", std::string(trim(split(cpuinfo.substr(at), '\n')[0].substr(10))));
  const auto uptime = split(text_in(root / "proc/uptime"), ' ');
  constexpr double kUsPerS = 1e6;
  const auto up_s = parse_number("", uptime.front());
  add_asked(taker.snapshot, root, up_s ? *up_s * kUsPerS : 0);
  add_topology(taker.snapshot, root);
  return std::move(taker.snapshot);
}

}  // namespace linerate::node
