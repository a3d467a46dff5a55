// What is wrong with a node: a snapshot of what Linux tells of it, and checks over that alone.
//
//   snapshot.cc       which files and calls a snapshot is made of: an allow-list
//   asked.cc          what calls and programs tell: the kernel's log, tc, nft
//   nvidia_smi.cc     what nvidia-smi tells
//   vendor_tools.cc   what ethtool, mlxlink and dcgmi tell
//   configured.cc     what files of /etc say
//   topology.cc       its topology, for the rules of linerate topo --lint
//   snapshot_json.cc  a snapshot as a file, and back
//   pci_config.cc     access control and request size in a PCI device's configuration space
//   node.cc           which checks can run, and what they find
//   checks.cc         the table of checks; checks_host.cc, checks_net.cc, checks_rdma.cc,
//                     checks_pci.cc, checks_gpu.cc, checks_state.cc and checks_vendor.cc look
//   thresholds.cc     the numbers that they compare with, and how a file changes them
//   compare.cc        several nodes: what is not as on the others
//   rule_texts.cc     what docs/doctor says of the checks
// A new check is a function, its declaration in checks.h and a row in checks.cc, of which
// `make docs` makes its page.
#pragma once

#include "base/result.h"
#include "record/finding.h"
#include "record/rule_text.h"
#include "topo/system/system.h"

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::node {

// Facts by where they were read: "/sys/class/net/eth0/mtu" is "1500". Those of calls and those that
// are a part of a file begin with a word: "access /dev/nvidiactl", "cgroup cpu.max".
struct Snapshot {
  std::string node{};  // its hostname
  std::map<std::string, std::string, std::less<>> facts{};
  std::optional<topo::System> topology{};

  const std::string* find(std::string_view key) const;  // null: not there or not readable
  // By key; * stands for any text without a slash.
  std::vector<std::pair<std::string_view, std::string_view>> matching(
      std::string_view pattern) const;
  bool has(std::string_view pattern) const { return !matching(pattern).empty(); }
  // The whole text as a number.
  std::optional<double> number(std::string_view key) const;

  bool operator==(const Snapshot&) const = default;
};

// Of this machine, or of another one's files below `root`. Needs no privileges: what cannot be read
// is absent. Any thread may call it.
Snapshot take_snapshot(const std::filesystem::path& root = "/");

// What parse_snapshot() takes.
inline constexpr std::size_t kMostSnapshotBytes = 16U << 20U;
std::string snapshot_text(const Snapshot& snapshot);
// Any text may come; a refusal goes on behind a file's name: ": it is not a JSON object."
Result<Snapshot> parse_snapshot(std::string_view text);

// "acs=0x1d port=6 read_request=512 relaxed=1" of a configuration space; empty where it does not
// show them: Linux shows the first 64 bytes to all, the others to root alone.
std::string pci_capabilities(std::string_view config);

struct Thresholds {
  double shm_bytes = 1 << 30;          // less is a warning
  double shm_least_bytes = 512 << 20;  // less is a problem: NCCL runs out of it
  double memlock_least_bytes = 64 << 20;
  double open_files = 65536;
  double roce_mtu = 4200;           // of the interface: 4096 bytes of data and headers
  double read_request_bytes = 512;  // of NICs
  double bar_bytes = 256 << 20;     // no more is not resizable
  double idle_latency_us = 100;
  double swap_bytes = 1 << 30;
  double memory_bytes = 4.0 * (1 << 30);
  double correctable_errors = 1000;  // of PCIe
  double carrier_changes = 10;
  double socket_buffer_bytes = 16 << 20;
  double interface_errors = 100;        // of an interface, and
  double interface_error_share = 1e-6;  // of its packets
  double tcp_loss_percent = 1;
  double slowed_s = 1;  // that a GPU's clocks were lowered for
  double gpu_used_bytes = 1 << 30;
  double bit_errors = 1e-15;       // share of bits, after correction; more is a warning
  double bit_errors_lost = 1e-12;  // more is a problem
  double raw_bit_errors = 1e-5;    // before correction
};
struct Threshold {
  std::string_view name;
  double Thresholds::*value;
};
std::span<const Threshold> all_thresholds();
// Changes those that a YAML map names; a refusal goes on behind the file's name.
Result<Thresholds> parse_thresholds(std::string_view yaml);

// One thing that a check saw.
struct Seen {
  std::string subject{};
  std::string evidence{};              // a sentence with the value and where it was read
  std::optional<Severity> severity{};  // else that of the check
};

struct Check {
  std::string_view id;
  Severity severity;
  std::string_view looks_at;  // a phrase
  // Whether the node has what it looks at; `lacking` says what it has not. Null: every node has.
  bool (*applies)(const Snapshot&);
  std::string_view lacking;
  std::string_view facts;  // a pattern of what it reads; empty: several
  std::string_view why;    // sentences
  std::string_view remedy;
  std::vector<Seen> (*look)(const Snapshot&, const Thresholds&);
  // When it finds something: "if …", with the names of the thresholds that it compares with.
  std::string_view speaks{};
  // The facts of a node on which it finds something, with | between them: "key=text". What its page
  // shows is examined when it is made.
  std::string_view example{};
};

std::span<const Check> all_checks();

// Of all checks and of unlike_nodes().
std::vector<RuleText> rule_texts();

// Checks that did not run, for one reason.
struct Omitted {
  std::string reason{};
  bool applies = true;  // its facts are missing; else the node has nothing of what it looks at
  std::vector<std::string_view> ids{};
};

struct Examined {
  std::vector<Finding> findings{};  // the worst first
  std::size_t ran = 0;
  std::vector<Omitted> not_run{};
};

// By all of `checks`.
Examined examine(const Snapshot& snapshot, std::span<const Check> checks,
                 const Thresholds& thresholds = {});

// "unlike-node": what differs between nodes, with the odd ones named. REQUIRES: two or more.
std::vector<Finding> unlike_nodes(std::span<const Snapshot> nodes);

}  // namespace linerate::node
