// Each check: silent on a healthy node, and the only one that speaks where its fault is put in.
#include "unit/diagnose/node/example.h"
#include "unit/diagnose/node/gpu_faults.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace linerate::node {
namespace {

using testing::HasSubstr;
using enum Severity;

const std::string kGpu = "/sys/bus/pci/devices/0000:18:00.0";
const std::string kPort = "/sys/class/infiniband/mlx5_1/ports/1";
const std::string kInfiniBand = kPort + "/link_layer";
const std::string kOtherLink = "/sys/class/infiniband/mlx5_0/ports/1/link_layer";
const std::string kLimits = "/proc/self/limits";
const std::string kStatus = "/proc/self/status";

std::vector<Fault> faults_of_the_host() {
  return {
      {"shm-size",
       problem,
       {{"size /dev/shm", "67108864"}, {"free /dev/shm", "67108864"}},
       "It holds 64 MiB"},
      {"shm-size",
       warning,
       {{"size /dev/shm", "900000000"}, {"free /dev/shm", "900000000"}},
       "It holds 858 MiB"},
      {"shm-full", warning, {{"free /dev/shm", "4096"}}, "0 of 514984 MiB are free"},
      {"open-files",
       warning,
       {{kLimits, "Max open files   1024   4096   files"}},
       "The hard limit is 4096"},
      {"stack-unlimited",
       info,
       {{kLimits, "Max stack size  unlimited unlimited bytes"}},
       "unlimited"},
      {"cpu-quota", info, {{"cgroup cpu.max", "1.5"}}, "1.5 of 64 processors"},
      {"slow-clock",
       warning,
       {{"/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet"}},
       "hpet"},
      {"cpu-governor",
       warning,
       {{"/sys/devices/system/cpu/*/cpufreq/scaling_governor", "performance,powersave"}},
       "The governor is performance,powersave"},
      {"idle-states",
       info,
       {{"/sys/devices/system/cpu/cpu0/cpuidle/state3/latency", "290"}},
       "takes 290 us"},
      {"numa-balancing", warning, {{"/proc/sys/kernel/numa_balancing", "1"}}, "is on"},
      {"swap-used",
       warning,
       {{"/proc/meminfo", "SwapTotal:  8388608 kB\nSwapFree:  4194304 kB"}},
       "4 GiB"},
      {"low-memory",
       warning,
       {{"/proc/meminfo", "MemTotal:  1056784000 kB\nMemAvailable:  2097152 kB"}},
       "2 of 1008 GiB are available"},
      {"memory-limit", warning, {{"cgroup memory.stat", "540000000000"}}, "503 of the 512 GiB"},
      {"memory-limit", warning, {{"cgroup memory.events", "oom_kill 2"}}, "2 of its processes"},
      {"remove-ipc", info, {{"logind RemoveIPC", "yes"}}, "RemoveIPC is yes"},
      {"hostname-address", warning, {{"hosts own name", "loopback"}}, "(/etc/hosts)"},
      {"half-duplex", warning, {{"/sys/class/net/eth0/duplex", "half"}}, "half-duplex"},
      {"interface-errors",
       warning,
       {{"/sys/class/net/eth0/statistics/rx_crc_errors", "101"}},
       "101 of 1000101 packets"},
      {"interface-errors",
       warning,
       {{"/sys/class/net/eth0/statistics/rx_packets", "2000000000"},
        {"/sys/class/net/eth0/statistics/rx_missed_errors", "2001"}},
       "2001 of 2000002001 packets"},
      {"far-processors", warning, {{kGpu + "/local_cpulist", "64-95"}}, "near processors 64-95"},
  };
}

std::vector<Fault> faults_of_rdma() {
  return {
      {"memlock", problem, {{kLimits, "Max locked memory 65536 65536 bytes"}}, "65536 bytes"},
      {"memlock",
       warning,
       {{kLimits, "Max locked memory 1073741824 unlimited bytes"}},
       "1073741824 bytes"},
      {"verbs-access", problem, {{"access /dev/infiniband/uverbs0", "denied"}}, "may not read"},
      {"verbs-access", warning, {{"access /dev/infiniband/uverbs0", ""}}, "no /dev/infiniband"},
      {"adapter-without-driver",
       warning,
       {{"/sys/bus/pci/devices/0000:70:00.0/class", "0x020700"}},
       "no infiniband folder"},
      {"subnet-manager",
       problem,
       {{kPort + "/state", "2: INIT"}, {kPort + "/link_layer", "InfiniBand"}},
       "2: INIT"},
      {"mixed-links",
       info,
       {{kPort + "/link_layer", "InfiniBand"}},
       "InfiniBand: mlx5_1 port 1. Ethernet: mlx5_0 port 1"},
      {"partition-key",
       problem,
       {{kInfiniBand, "InfiniBand"}, {kOtherLink, "InfiniBand"}, {kPort + "/pkeys/0", "0x7fff"}},
       "is 0x7fff, which does not make it a full member; no other"},
      {"partition-key",
       warning,
       {{kInfiniBand, "InfiniBand"},
        {kOtherLink, "InfiniBand"},
        {kPort + "/pkeys/0", ""},
        {kPort + "/pkeys/3", "0x800b"}},
       "is 0x0000, which does not make it a full member; 0x800b at index 3 does"},
      {"same-network", warning, {{"network ens1", "0"}}, "of one IP network"},
      {"bond-hash",
       warning,
       {{"/sys/class/net/bond0/bonding/xmit_hash_policy", "layer2+3 2"}},
       "It has 2 legs, and chooses one by layer2+3"},
      {"bond-leg", warning, {{"/sys/class/net/ens1/bonding_slave/mii_status", "down"}}, "is down"},
      {"roce-mtu",
       warning,
       {{"/sys/class/infiniband/mlx5_1/device/net/ens1/mtu", "1500"}},
       "Its MTU is 1500"},
      {"roce-address",
       warning,  // the other one has an address
       {{"gid " + kPort + "/gids/3", "RoCE v2 link-local"}},
       "1 RoCE v2 addresses with only a link-local"},
      {"port-counters", info, {{kPort + "/counters/link_downed", "7"}}, "link_downed 7"},
      {"link-flaps",
       info,
       {{"/sys/class/infiniband/mlx5_1/device/net/ens1/carrier_changes", "40"}},
       "40 times"},
      {"reverse-path",
       warning,
       {{"/proc/sys/net/ipv4/conf/all/rp_filter", "1"}},
       "rp_filter of ens1 is 1"},
  };
}

std::vector<Fault> faults_of_losses() {
  return {
      {"congestion", info, {{kPort + "/hw_counters/np_cnp_sent", "70"}}, "np_cnp_sent 70"},
      {"congestion", info, {{"/sys/class/net/ens1/ecn/roce_np/enable/3", "0"}}, "control is off"},
      {"pause-frames", info, {{"ethtool ens1 rx_prio3_pause", "5120"}}, "rx_prio3_pause 5120"},
      {"pause-frames", warning, {{"ethtool ens1 rx_prio3_discards", "9"}}, "lost: rx_prio3_disc"},
      {"link-quality", problem, {{"mlxlink mlx5_1 effective_ber", "2E-11"}}, "2E-11 of its bits"},
      {"link-quality", warning, {{"mlxlink mlx5_1 effective_ber", "3E-14"}}, "3E-14"},
      {"link-quality", warning, {{"mlxlink mlx5_1 raw_ber", "4E-5"}}, "before they are corrected"},
  };
}

std::vector<Fault> faults_of_pci() {
  return {
      {"acs",
       warning,
       {{"pcie /sys/bus/pci/devices/0000:10:00.0", "acs=0x1d port=6 read_request=128"}},
       "0000:10:00.0 has 0x1d"},
      {"iommu", warning, {{kGpu + "/iommu_group/type", "DMA-FQ"}}, "is DMA-FQ"},
      {"small-bar", info, {{kGpu + "/resource", "268435456"}}, "256 MiB"},
      {"read-request",
       warning,
       {{"pcie /sys/bus/pci/devices/0000:51:00.0", "acs=0x0 port=0 read_request=128"}},
       "reads 128 bytes"},
      {"relaxed-ordering",
       warning,
       {{"pcie /sys/bus/pci/devices/0000:51:00.0", "acs=0x0 port=0 read_request=512 relaxed=0"}},
       "is off"},
      {"pci-errors", warning, {{kGpu + "/aer_dev_fatal", "2"}}, "2 fatal"},
      {"pci-errors", info, {{kGpu + "/aer_dev_correctable", "5000"}}, "5000 corrected"},
      {"nvidia-access", problem, {{"access /dev/nvidiactl", "denied"}}, "denied"},
      {"nvidia-access", info, {{"access /dev/nvidia-uvm", "absent"}}, "absent"},
      {"nvidia-access", warning, {{"/proc/driver/nvidia/version", ""}}, "is not there"},
  };
}

std::vector<Fault> faults_of_sockets() {
  return {
      {"huge-pages",
       info,
       {{"/sys/bus/pci/devices/0000:50:00.0/vendor", "0x1d0f"},
        {"/proc/meminfo", "HugePages_Total: 0"}},
       "no huge pages"},
      {"firewall", warning, {{"nft input", "drop"}}, "drops what no rule accepts"},
      {"shaped-interface",
       warning,
       {{"tc ens0", "qdisc tbf 8001: dev ens0 root refcnt 2 rate 1Gbit"}},
       "rate 1Gbit"},
      {"shaped-interface", info, {{"tc ens0", "qdisc htb 1: dev ens0 root"}}, "qdisc htb"},
      {"tcp-losses", warning, {{"/proc/net/snmp", "1000000 20000"}}, "2 % of 1e+06 segments"},
      {"killed-for-memory", warning, {{"kernel oom", "2.0"}}, "2.0 hours ago"},
      {"stray-interfaces", warning, {{"address virbr0", "IPv4"}}, "up, beside ens0"},
  };
}

std::vector<Fault> faults() {
  auto all = faults_of_the_host();
  for (auto& more : {faults_of_rdma(), faults_of_losses(), faults_of_pci(), faults_of_gpus(),
                     faults_of_gpu_links(), faults_of_sockets()})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

Snapshot with(const Fault& fault) {
  auto node = healthy_node();
  for (const auto& [key, text] : fault.facts) {
    node.facts.erase(key);
    if (!text.empty()) node.facts[key] = text;
  }
  return node;
}

TEST(NodeChecks, AreSilentOnAHealthyNode) {
  const auto examined = examine(healthy_node(), all_checks());

  for (const auto& finding : examined.findings) ADD_FAILURE() << finding.rule << finding.evidence;
  EXPECT_EQ(examined.ran, all_checks().size() - 2);
  ASSERT_EQ(examined.not_run.size(), 2U);
  EXPECT_THAT(examined.not_run[0].ids, testing::ElementsAre("huge-pages"));
  EXPECT_THAT(examined.not_run[1].ids, testing::ElementsAre("socket-buffers"));
}

TEST(NodeChecks, FindTheirFaultAndNoOther) {
  for (const auto& fault : faults()) {
    SCOPED_TRACE(fault.id);
    const auto examined = examine(with(fault), all_checks());

    EXPECT_EQ(examined.findings.size(), 1U);
    if (examined.findings.empty()) continue;
    const auto& finding = examined.findings[0];
    EXPECT_EQ(finding.rule, fault.id);
    EXPECT_EQ(finding.severity, fault.severity);
    EXPECT_THAT(finding.evidence, HasSubstr(std::string(fault.evidence)));
    EXPECT_FALSE(finding.subject.empty() || finding.advice.empty());
  }
}

TEST(NodeChecks, HaveAFaultInThisTestEach) {
  std::set<std::string_view> tested{"socket-buffers", "hostname"};
  for (const auto& fault : faults()) tested.insert(fault.id);
  for (const auto& check : all_checks()) EXPECT_TRUE(tested.contains(check.id)) << check.id;
}

// What their pages show.
TEST(NodeChecks, HaveAnExampleEach) {
  const std::set<std::string_view> of_other_programs{"unread-node", "quick-bench"};
  for (const auto& text : rule_texts()) {
    const auto shown = of_other_programs.contains(text.id) ? "" : fmt::format(": {}: ", text.id);
    EXPECT_THAT(text.example, HasSubstr(shown)) << text.id;
  }
}

TEST(NodeChecks, LookAtSocketBuffersWhereOnlySocketsAreUsed) {
  auto node = healthy_node();
  for (const auto* number : {"0", "1"})
    node.facts[fmt::format("/sys/class/infiniband/mlx5_{}/ports/1/state", number)] = "1: DOWN";

  const auto slow = examine(node, all_checks());
  node.facts["/proc/sys/net/ipv4/tcp_rmem"] = "4096\t131072\t67108864";
  const auto fast = examine(node, all_checks());

  ASSERT_EQ(slow.findings.size(), 1U);
  EXPECT_EQ(slow.findings[0].rule, "socket-buffers");
  EXPECT_TRUE(fast.findings.empty());
}

TEST(NodeChecks, NameAHostWithoutAName) {
  const auto examined = examine(healthy_node("localhost.localdomain"), all_checks());

  ASSERT_EQ(examined.findings.size(), 1U);
  EXPECT_EQ(examined.findings[0].rule, "hostname");
}

// A virtual machine with one GPU: nothing to set, and nobody beside it.
TEST(NodeChecks, DoNotWarnOfManyPeersWhereThereIsOneGpu) {
  auto node = healthy_node();
  std::erase_if(node.facts, [](const auto& fact) {
    return fact.first.find("0000:2a:00.0") != std::string::npos ||
           fact.first.find("infiniband") != std::string::npos || fact.first.starts_with("rdma ") ||
           fact.first.find("/cpufreq/") != std::string::npos ||
           fact.first.find("/cpuidle/") != std::string::npos ||
           fact.first.find("/aer_dev") != std::string::npos || fact.first.starts_with("cgroup cpu");
  });
  node.facts[kLimits] = "Max open files 1024 20000 files";

  const auto examined = examine(node, all_checks());

  for (const auto& omitted : examined.not_run) EXPECT_FALSE(omitted.applies) << omitted.reason;
  for (const auto& finding : examined.findings) EXPECT_EQ(finding.severity, info) << finding.rule;
}

// Settings that a cluster's node should not have, and that nobody else needs to change.
TEST(NodeChecks, AreSilentOnALaptop) {
  Snapshot laptop = healthy_node("laptop");
  std::erase_if(laptop.facts, [](const auto& fact) {
    return fact.first.find("infiniband") != std::string::npos || fact.first.starts_with("rdma ");
  });
  laptop.facts.merge(
      std::map<std::string, std::string, std::less<>>{{"/sys/class/dmi/id/chassis_type", "10"}});
  laptop.facts["/sys/devices/system/cpu/*/cpufreq/scaling_governor"] = "powersave";
  laptop.facts["/proc/self/limits"] =
      "Max open files 1024 4096 files\nMax locked memory 65536 65536";
  laptop.facts["/proc/meminfo"] = "MemTotal: 1000000 kB\nSwapTotal: 8388608 kB\nSwapFree: 0 kB";
  laptop.facts["size /dev/shm"] = laptop.facts["free /dev/shm"] = "512000000";
  laptop.facts.erase("/proc/driver/nvidia/version");

  const auto examined = examine(laptop, all_checks());

  for (const auto& finding : examined.findings) ADD_FAILURE() << finding.rule << finding.evidence;
}

// A virtual machine with an RDMA function of its network, which nobody gave an address, and the
// limits of a login: nothing is wrong there before a job with GPUs comes.
TEST(NodeChecks, GiveNoProblemsWhereThereIsNoGpuForComputing) {
  auto node = healthy_node();
  std::erase_if(node.facts, [](const auto& fact) {
    return fact.first.find("0000:18:00.0") != std::string::npos ||
           fact.first.find("0000:2a:00.0") != std::string::npos;
  });
  node.facts[kLimits] = "Max locked memory 8388608 8388608 bytes";
  for (const auto* number : {"0", "1"})
    node.facts[fmt::format("gid /sys/class/infiniband/mlx5_{}/ports/1/gids/3", number)] =
        "RoCE v2 link-local";

  const auto without = examine(node, all_checks());
  add_device(node, "0000:18:00.0", "0x030200");
  const auto with_gpu = examine(node, all_checks());

  for (const auto& finding : without.findings) EXPECT_EQ(finding.severity, warning) << finding.rule;
  EXPECT_EQ(without.findings.size(), 3U);
  EXPECT_EQ(std::ranges::count(with_gpu.findings, problem, &Finding::severity), 3);
}

TEST(NodeChecks, TakePortsWithoutRoceAddressesForOtherProtocols) {
  auto node = healthy_node();
  std::erase_if(node.facts, [](const auto& f) { return f.first.starts_with("gid " + kPort); });
  EXPECT_TRUE(examine(node, all_checks()).findings.empty());
}

TEST(NodeChecks, KnowDriversThatNeedNoModuleForPeerMemory) {
  auto node = healthy_node();
  node.facts["/proc/modules"] = "nvidia";
  node.facts.erase("nv-fabricmanager");
  node.facts["/proc/driver/nvidia/version"] = "NVRM version: NVIDIA UNIX Open Kernel Module  570";
  EXPECT_TRUE(examine(node, all_checks()).findings.empty());

  node.facts["/proc/sys/kernel/osrelease"] = "5.4.0-150-generic";
  EXPECT_EQ(examine(node, all_checks()).findings.size(), 1U);
}

TEST(NodeChecks, LeaveStrayInterfacesAloneThatNcclDoesNotTake) {
  for (const auto* name : {"docker0", "eth1", "lo"}) {
    auto node = healthy_node();
    node.facts[fmt::format("address {}", name)] = "IPv4";
    EXPECT_TRUE(examine(node, all_checks()).findings.empty()) << name;
  }
  auto node = healthy_node();
  node.facts["address virbr0"] = "IPv4";
  node.facts["/sys/class/net/virbr0/operstate"] = "down";
  EXPECT_TRUE(examine(node, all_checks()).findings.empty());
}

TEST(NodeChecks, LeaveBondsAloneThatJobsDoNotUse) {
  auto node = healthy_node();
  node.facts["/sys/class/net/bond0/bonding/xmit_hash_policy"] = "layer2 0";
  node.facts["/sys/class/net/bond0/bonding/slaves"] = "eno1 eno2";
  EXPECT_TRUE(examine(node, all_checks()).findings.empty());

  node.facts["/sys/class/net/bond0/bonding/slaves"] = "ens0 ens1";
  node.facts["/sys/class/net/bond0/bonding/mode"] = "active-backup 1";
  EXPECT_TRUE(examine(node, all_checks()).findings.empty());
}

TEST(NodeChecks, AllowOneIpNetworkWhereLinuxAnswersByTheRightInterface) {
  auto node = healthy_node();
  node.facts["network ens1"] = "0";
  node.facts["/proc/sys/net/ipv4/conf/all/arp_ignore"] = "1";
  EXPECT_TRUE(examine(node, all_checks()).findings.empty());
}

TEST(NodeChecks, SayWhichProgramCouldNotRun) {
  auto node = healthy_node();
  node.facts.erase("tc");
  node.facts["could not run tc"] = "is not installed";

  const auto not_run = examine(node, all_checks()).not_run;

  EXPECT_EQ(std::ranges::count(not_run, "tc is not installed", &Omitted::reason), 1);
}

TEST(NodeChecks, DoNotCountLockedMemoryWithTheCapability) {
  auto node = healthy_node();
  node.facts[kLimits] = "Max locked memory 65536 65536 bytes";
  node.facts[kStatus] = "CapEff:\t000001ffffffffff\nCpus_allowed_list:\t0-63";

  EXPECT_TRUE(examine(node, all_checks()).findings.empty());
}

TEST(NodeChecks, ThatLackTheirFactsSayWhyAndDoNotCount) {
  const auto examined = examine({.node = "bare"}, all_checks());

  EXPECT_TRUE(examined.findings.empty());
  EXPECT_EQ(examined.ran, 1U);  // hostname
  std::size_t not_run = 0;
  for (const auto& omitted : examined.not_run) {
    EXPECT_FALSE(omitted.reason.empty());
    not_run += omitted.ids.size();
  }
  EXPECT_EQ(not_run + examined.ran, all_checks().size());
}

TEST(NodeChecks, OfWhatANodeDoesNotHaveDoNotApply) {
  const auto state = [](const Snapshot& node, std::string_view id) {
    const auto not_run = examine(node, all_checks()).not_run;
    const auto of = std::ranges::find_if(not_run, [&](const Omitted& omitted) {
      return std::ranges::find(omitted.ids, id) != omitted.ids.end();
    });
    if (of == not_run.end()) return "ran";
    return of->applies ? "could not run" : "does not apply";
  };
  auto blind = healthy_node();
  blind.facts.erase(kLimits);

  EXPECT_STREQ(state({.node = "bare"}, "memlock"), "does not apply");
  EXPECT_STREQ(state({.node = "bare"}, "slow-clock"), "could not run");
  EXPECT_STREQ(state(blind, "memlock"), "could not run");
  EXPECT_STREQ(state(healthy_node(), "memlock"), "ran");
}

TEST(NodeChecks, TakeOtherThresholds) {
  const auto strict = parse_thresholds("roce_mtu: 9100\n");
  ASSERT_TRUE(strict.ok()) << strict.sentence();

  const auto examined = examine(healthy_node(), all_checks(), *strict);

  EXPECT_EQ(examined.findings.size(), 2U);
  for (const auto* wrong : {"roce_mut: 1\n", "roce_mtu: many\n", "- 1\n", "roce_mtu: -1\n", "a: ["})
    EXPECT_FALSE(parse_thresholds(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace linerate::node
