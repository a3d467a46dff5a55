// What a snapshot takes of files, what it leaves out, and how it is read back.
#include "unit/diagnose/node/example.h"

#include <gmock/gmock.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace linerate::node {
namespace {

namespace fs = std::filesystem;

class SnapshotOfFolder : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const auto file = root() / path;
    fs::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }
  fs::path root() const { return folder_; }

  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              fmt::format("snapshot-{}-{}", ::getpid(),
                          testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  void TearDown() override { fs::remove_all(folder_); }

 private:
  fs::path folder_{};
};

TEST_F(SnapshotOfFolder, TakesWhatIsOnTheList) {
  write("proc/sys/kernel/hostname", "node007\n");
  write("sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE\n");
  write("sys/class/net/eth0/mtu", "1500\n");
  write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  write("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "performance\n");
  write("proc/cpuinfo",
        "vendor_id\t: GenuineIntel\nmodel name\t: A CPU\nflags\t: fpu hypervisor\n");
  write("sys/devices/system/cpu/online", "0\n");
  write("proc/uptime", "7200.00 10.0\n");
  write("dev/kmsg", "3,1,3600000000,-;NVRM: Xid (PCI:0000:18:00): 79, GPU has fallen off\n");
  write("proc/net/snmp", "Tcp: A OutSegs RetransSegs\nTcp: 1 200 3\nUdp: A\n");

  const auto snapshot = take_snapshot(root());

  EXPECT_EQ(snapshot.node, "node007");
  const auto expect = [&](std::string_view key, std::string_view text) {
    const auto* found = snapshot.find(key);
    EXPECT_EQ(found == nullptr ? "" : *found, text) << key;
  };
  expect("/sys/class/infiniband/mlx5_0/ports/1/state", "4: ACTIVE");
  expect("/sys/class/net/eth0/mtu", "1500");
  expect("/sys/devices/system/cpu/*/cpufreq/scaling_governor", "performance,powersave");
  expect("virtual machine", "yes");
  expect("access /dev/nvidiactl", "absent");
  expect("kernel xid 0000:18:00.0 79", "1.0");
  expect("/proc/net/snmp", "200 3");
  ASSERT_TRUE(snapshot.topology);
  EXPECT_EQ(snapshot.topology->cpus.front().name, "A CPU");
}

TEST_F(SnapshotOfFolder, LeavesOutWhatIsNobodysBusiness) {
  write("proc/cmdline", "root=UUID=hunter2 iommu=pt password=hunter2 intel_iommu=on\n");
  write("proc/self/status", "Name:\thunter2\nUid:\t1000\nCapEff:\t00\nCpus_allowed_list:\t0\n");
  write("proc/self/cgroup", "0::/user-hunter2/job\n");
  write("sys/fs/cgroup/user-hunter2/job/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/user-hunter2/cpu.max", "150000 100000\n");
  write("proc/self/environ", "TOKEN=hunter2");
  write("sys/class/net/eth0/address", "hunter2");
  write("sys/class/infiniband/mlx5_0/ports/1/gids/0", "0000:0000:0000:0000:0000:ffff:0a00:0001\n");
  write("sys/class/infiniband/mlx5_0/ports/1/gid_attrs/types/0", "RoCE v2\n");

  const auto snapshot = take_snapshot(root());

  const auto text = snapshot_text(snapshot);
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("hunter2")));
  EXPECT_THAT(text, testing::Not(testing::HasSubstr("0a00")));
  EXPECT_EQ(*snapshot.find("/proc/cmdline"), "iommu=pt intel_iommu=on");
  EXPECT_EQ(*snapshot.find("cgroup cpu.max"), "1.5");
  EXPECT_EQ(*snapshot.find("gid /sys/class/infiniband/mlx5_0/ports/1/gids/0"), "RoCE v2 IPv4");
  EXPECT_EQ(*snapshot.find("roce index /sys/class/infiniband/mlx5_0/ports/1"), "0");
}

TEST_F(SnapshotOfFolder, TakesWhatSystemdAndItsDropInsSay) {
  const auto remove_ipc = [&] {
    const auto snapshot = take_snapshot(root());
    const auto* found = snapshot.find("logind RemoveIPC");
    return found == nullptr ? std::string("none") : *found;
  };
  write("etc/systemd/logind.conf", "[Login]\n#RemoveIPC=no\n");
  EXPECT_EQ(remove_ipc(), "none");  // systemd does not run

  fs::create_directories(root() / "run/systemd/system");
  EXPECT_EQ(remove_ipc(), "no");
  write("usr/lib/systemd/logind.conf.d/50-a.conf", "[Login]\nRemoveIPC = Yes\n");
  EXPECT_EQ(remove_ipc(), "yes");
  write("etc/systemd/logind.conf.d/50-a.conf", "# nothing\n");
  EXPECT_EQ(remove_ipc(), "no");
  write("etc/systemd/logind.conf.d/60-b.conf", "RemoveIPC=true\n");
  EXPECT_EQ(remove_ipc(), "true");
}

TEST_F(SnapshotOfFolder, TakesKeysMemoryAndTheKindOfTheOwnAddress) {
  write("proc/sys/kernel/hostname", "node007\n");
  write("etc/hosts", "127.0.0.1 localhost # node007\n127.0.1.1\tnode007.hunter2 node007\n");
  write("sys/class/infiniband/mlx5_0/ports/1/pkeys/0", "0x7fff\n");
  write("sys/class/infiniband/mlx5_0/ports/1/pkeys/1", "0x0000\n");
  write("proc/meminfo", "MemTotal:       1056784000 kB\n");
  write("proc/self/cgroup", "0::/a/b\n");
  write("sys/fs/cgroup/a/b/memory.max", "max\n");
  write("sys/fs/cgroup/a/memory.max", "1000\n");
  write("sys/fs/cgroup/a/memory.stat", "anon 700\nfile 900\nshmem 200\nslab_unreclaimable 1\n");
  write("sys/fs/cgroup/a/memory.events", "oom 9\noom_kill 1\n");

  const auto snapshot = take_snapshot(root());

  EXPECT_EQ(*snapshot.find("hosts own name"), "loopback");
  EXPECT_EQ(*snapshot.find("/sys/class/infiniband/mlx5_0/ports/1/pkeys/0"), "0x7fff");
  EXPECT_FALSE(snapshot.has("/sys/class/infiniband/mlx5_0/ports/1/pkeys/1"));
  EXPECT_EQ(*snapshot.find("memory"), "1007.8 GiB");
  EXPECT_EQ(snapshot.number("cgroup memory.stat"), 901);
  EXPECT_EQ(*snapshot.find("cgroup memory.events"), "oom_kill 1");
  EXPECT_EQ(snapshot_text(snapshot).find("hunter2"), std::string::npos);
}

// A downward port of a switch with ACS on: the capability at 0x40, ACS at 0x100 behind another one.
std::string bridge_config() {
  std::string config(4096, '\0');
  config[0x34] = 0x40;
  config[0x40] = 0x10;
  config[0x42] = 0x62;                                               // version 2, port type 6
  config[0x49] = 0x20;                                               // 512 bytes
  config[0x100] = 0x01, config[0x102] = 0x01, config[0x103] = 0x15;  // AER, next at 0x150
  config[0x150] = 0x0d, config[0x152] = 0x01;
  config[0x156] = 0x1d;
  return config;
}

TEST_F(SnapshotOfFolder, ReadsPciDevices) {
  const std::string device = "sys/bus/pci/devices/0000:10:00.0/";
  write(device + "class", "0x060400\n");
  write(device + "config", bridge_config());
  write(device + "resource", "0x0000000010000000 0x000000001fffffff 0x0000000000140204\n");
  write(device + "aer_dev_fatal", "Undefined 0\nTOTAL_ERR_FATAL 3\n");
  write("sys/bus/pci/devices/0000:00:1f.0/class", "0x060100\n");

  const auto snapshot = take_snapshot(root());

  EXPECT_EQ(*snapshot.find("pcie /" + device.substr(0, device.size() - 1)),
            "acs=0x1d port=6 read_request=512 relaxed=0");
  EXPECT_EQ(snapshot.number("/" + device + "resource"), 256 << 20);
  EXPECT_EQ(snapshot.number("/" + device + "aer_dev_fatal"), 3);
  EXPECT_FALSE(snapshot.has("/sys/bus/pci/devices/0000:00:1f.0/*"));
}

TEST(PciCapabilities, AreNoneOfWhatAUserMayRead) {
  EXPECT_EQ(pci_capabilities(bridge_config().substr(0, 64)), "");
  EXPECT_EQ(pci_capabilities(std::string(4096, '\xff')), "");
  EXPECT_EQ(pci_capabilities(std::string(4096, '\x10')),
            pci_capabilities(std::string(4096, '\x10')));
}

TEST(SnapshotFile, ComesBackAsItWas) {
  const auto snapshot = healthy_node();
  const auto read = parse_snapshot(snapshot_text(snapshot));
  ASSERT_TRUE(read.ok()) << read.sentence();
  EXPECT_EQ(*read, snapshot);
}

TEST(SnapshotFile, BringsItsTopologyBack) {
  auto snapshot = healthy_node();
  auto& system = snapshot.topology.emplace(topo::System{.name = "node001", .source = "a snapshot"});
  system.cpus = {{.name = "A CPU"}};
  system.cpus.front().nets = {{.name = "mlx5_0", .speed_mbps = 400000, .state = "DOWN (Polling)"}};

  const auto read = parse_snapshot(snapshot_text(snapshot));

  ASSERT_TRUE(read.ok()) << read.sentence();
  EXPECT_EQ(*read, snapshot);
}

TEST(SnapshotFile, RefusesWhatIsNone) {
  for (const auto* text :
       {"", "[1]", "{}", R"({"kind":"snapshot"})", R"({"kind":"snapshot","schema":2})",
        R"({"kind":"snapshot","schema":1,"node":1,"facts":{}})",
        R"({"kind":"snapshot","schema":1,"node":"a","facts":[]})",
        R"({"kind":"snapshot","schema":1,"node":"a","facts":{"x":1}})",
        R"({"kind":"snapshot","schema":1,"node":"a","facts":{},"topology":{"cpus":[]}})",
        R"({"kind":{}})"}) {
    const auto read = parse_snapshot(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.sentence(), testing::StartsWith(": it is no snapshot"));
  }
  EXPECT_FALSE(parse_snapshot(std::string(kMostSnapshotBytes + 1, ' ')).ok());
}

TEST(SnapshotPatterns, StarsStayWithinAFolder) {
  const Snapshot snapshot{.facts = {{"/a/b1/c", "1"}, {"/a/b2/d/c", "2"}, {"/a/b3/c", "3"}}};
  EXPECT_EQ(snapshot.matching("/a/*/c").size(), 2U);
  EXPECT_EQ(snapshot.matching("/a/b*/c").size(), 2U);
  EXPECT_EQ(snapshot.matching("/a/b1/c").size(), 1U);
  EXPECT_TRUE(snapshot.matching("/a/*").empty());
}

}  // namespace
}  // namespace linerate::node
