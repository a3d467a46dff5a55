// A small /sys and /proc in a temporary folder, as a saved machine has them.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace linerate::topo {

// What sysfs says of a device on the bus; empty: it has no such file.
struct TreePci {
  std::string place;  // "pci0000:15/0000:15:01.0/0000:16:00.0", the device last
  std::string device_class = "0x060400", vendor = "0x1000", device = "0xc030";
  std::string numa = "-1";
  std::string speed = "32.0 GT/s PCIe", width = "16";
  std::string max_speed = "32.0 GT/s PCIe", max_width = "16";
};

struct TreePort {
  std::string name;   // "mlx5_0"
  std::string place;  // of its PCI device, as in TreePci
  int port = 1;
  std::string rate = "400 Gb/sec (4X NDR)", state = "4: ACTIVE", lanes = "5: LinkUp";
  std::string link_layer = "InfiniBand", guid = "0c42:a103:0000:0001";
};

class SysfsTree {
 public:
  SysfsTree() { std::filesystem::remove_all(root_); }
  ~SysfsTree() { std::filesystem::remove_all(root_); }
  SysfsTree(const SysfsTree&) = delete;
  SysfsTree& operator=(const SysfsTree&) = delete;

  const std::filesystem::path& root() const { return root_; }

  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }

  // A relative link at `link` that leads to `target`, both below the root.
  void link(const std::string& link, const std::string& target) const {
    const auto at = root_ / link;
    std::filesystem::create_directories(at.parent_path());
    std::filesystem::create_directories(root_ / target);
    std::filesystem::create_symlink((root_ / target).lexically_relative(at.parent_path()), at);
  }

  void add(const TreePci& pci) const {
    const auto folder = "sys/devices/" + pci.place + "/";
    const std::vector<std::pair<std::string, std::string>> files{{"class", pci.device_class},
                                                                 {"vendor", pci.vendor},
                                                                 {"device", pci.device},
                                                                 {"numa_node", pci.numa},
                                                                 {"current_link_speed", pci.speed},
                                                                 {"current_link_width", pci.width},
                                                                 {"max_link_speed", pci.max_speed},
                                                                 {"max_link_width", pci.max_width},
                                                                 {"subsystem_vendor", pci.vendor},
                                                                 {"subsystem_device", "0x0001"}};
    for (const auto& [name, text] : files)
      if (!text.empty()) write(folder + name, text + "\n");
    const auto name = std::filesystem::path(pci.place).filename().string();
    link("sys/bus/pci/devices/" + name, "sys/devices/" + pci.place);
  }

  // Memory node `numa` with hardware threads first..first+count-1, all in one socket, each a core.
  void add_node(int numa, int first, int count) const {
    const auto mask = ((std::uint64_t{1} << count) - 1) << first;
    write("sys/devices/system/node/node" + std::to_string(numa) + "/cpumap",
          fmt::format("{:08x}\n", mask));
    for (int thread = first; thread < first + count; ++thread) {
      const auto folder = "sys/devices/system/cpu/cpu" + std::to_string(thread) + "/";
      write(folder + "topology/physical_package_id", std::to_string(numa) + "\n");
      write(folder + "topology/thread_siblings_list", std::to_string(thread) + "\n");
      write(folder + "cache/index3/level", "3\n");
      write(folder + "cache/index3/size", "32768K\n");
      write(folder + "cache/index3/shared_cpu_list", std::to_string(first) + "-\n");
    }
  }

  void add_cpuinfo(const std::string& vendor, int family, int model) const {
    write("proc/cpuinfo", "processor\t: 0\nvendor_id\t: " + vendor + "\ncpu family\t: " +
                              std::to_string(family) + "\nmodel\t\t: " + std::to_string(model) +
                              "\nmodel name\t: A Processor 9000\n\nprocessor\t: 1\n");
  }

  void add(const TreePort& port) const {
    const auto folder = "sys/class/infiniband/" + port.name + "/";
    const auto ports = folder + "ports/" + std::to_string(port.port) + "/";
    if (port.port == 1) link(folder + "device", "sys/devices/" + port.place);
    write(folder + "node_guid", port.guid + "\n");
    write(ports + "rate", port.rate + "\n");
    write(ports + "state", port.state + "\n");
    write(ports + "phys_state", port.lanes + "\n");
    write(ports + "link_layer", port.link_layer + "\n");
  }

  // An interface whose device is `place`, as in TreePci; empty: virtual.
  void add_interface(const std::string& name, const std::string& place, const std::string& speed,
                     const std::string& operstate = "up") const {
    const auto folder =
        "sys/devices/" + (place.empty() ? std::string("virtual") : place) + "/net/" + name;
    write(folder + "/speed", speed + "\n");
    write(folder + "/operstate", operstate + "\n");
    write(folder + "/type", "1\n");
    if (!place.empty()) link(folder + "/device", "sys/devices/" + place);
    link("sys/class/net/" + name, folder);
  }

 private:
  const std::filesystem::path root_ =
      std::filesystem::path(testing::TempDir()) /
      (std::string("tree_") +
       testing::UnitTest::GetInstance()->current_test_info()->test_suite_name() + "_" +
       testing::UnitTest::GetInstance()->current_test_info()->name());
};

// Two sockets with two switches each; below each switch two GPUs and two NICs of 400 Gb/s, in the
// order of bus ids. Switch n, from 1, has its upstream
// port at n1:00.0, its GPUs at n3:00.0 and n4:00.0, its NICs at n5:00.0 and n6:00.0.
inline void add_two_socket_server(const SysfsTree& tree) {
  tree.add_cpuinfo("GenuineIntel", 6, 143);
  for (int socket = 0; socket < 2; ++socket) tree.add_node(socket, 8 * socket, 8);
  for (int n = 0; n < 4; ++n) {
    const auto bus = std::to_string(n + 1), numa = std::to_string(n / 2);
    const auto port = "pci0000:" + bus + "0/0000:" + bus + "0:01.0";
    const auto inner = port + "/0000:" + bus + "1:00.0";
    tree.add(TreePci{.place = port, .vendor = "0x8086", .device = "0x352a", .numa = numa});
    tree.add(TreePci{.place = inner, .numa = numa});
    for (int d = 0; d < 4; ++d) {
      const auto down = inner + "/0000:" + bus + "2:0" + std::to_string(d) + ".0";
      const auto place = down + "/0000:" + bus + std::to_string(d + 3) + ":00.0";
      tree.add(TreePci{.place = down, .numa = numa});
      if (d < 2)
        tree.add(TreePci{place, "0x030200", "0x10de", "0x2330", numa});
      else
        tree.add(TreePci{place, "0x020700", "0x15b3", "0x1021", numa});
      if (d >= 2)
        tree.add(TreePort{.name = "mlx5_" + std::to_string(2 * n + d - 2), .place = place});
    }
  }
}

}  // namespace linerate::topo
