// What is kept of the words of programs and of the kernel's log, and that any other words are none.
#include "diagnose/node/snapshot_parts.h"

#include <gtest/gtest.h>

namespace linerate::node {
namespace {

std::string fact(const Snapshot& snapshot, std::string_view key) {
  const auto* found = snapshot.find(key);
  return found == nullptr ? "none" : *found;
}

TEST(KernelEvents, AreXidsAndKilledProcessesWithTheHoursSince) {
  constexpr double kHourUs = 3.6e9;
  Snapshot node;
  add_kernel_events(node,
                    "6,1,10,-;Linux version 6.1\n"
                    "4,2,3600000000,-;NVRM: Xid (PCI:0000:3B:00): 31, pid=7, name=secret, Ch 8\n"
                    "4,3,7200000000,c;NVRM: Xid (PCI:0000:3B:00): 31, pid=9, name=secret\n"
                    "3,4,7200000000,-;Memory cgroup out of memory: Killed process 12 (secret)\n"
                    "NVRM: Xid (PCI:zz): x\n3,;NVRM: Xid (PCI:\n",
                    4 * kHourUs);

  EXPECT_EQ(fact(node, "kernel log"), "readable");
  EXPECT_EQ(fact(node, "kernel xid 0000:3b:00.0 31"), "2.0");
  EXPECT_EQ(fact(node, "kernel oom"), "2.0");
  EXPECT_EQ(node.facts.size(), 3U);
}

TEST(Shaping, IsOfQueuesThatHoldBack) {
  Snapshot node;
  add_shaping(node,
              "qdisc noqueue 0: dev lo root refcnt 2 \nqdisc mq 0: dev eth0 root \n"
              "qdisc netem 8001: dev eth1 root refcnt 2 limit 1000 delay 10ms loss 1%\nqdisc\n");

  EXPECT_EQ(node.facts.size(), 2U);
  EXPECT_EQ(fact(node, "tc eth1"),
            "qdisc netem 8001: dev eth1 root refcnt 2 limit 1000 delay 10ms loss 1%");
}

std::string verdict_of(const std::string& rules, const std::string& policy = "accept") {
  Snapshot node;
  add_firewall(node,
               "table inet filter {\n\tchain input {\n\t\ttype filter hook input priority "
               "filter; policy " +
                   policy + ";\n" + rules +
                   "\t}\n\n\tchain forward {\n\t\ttype filter hook forward priority 0; policy "
                   "drop;\n\t\tdrop\n\t}\n}\n");
  return fact(node, "nft input");
}

TEST(Firewall, DropsByItsPolicyOrItsLastRule) {
  EXPECT_EQ(verdict_of(""), "accept");
  EXPECT_EQ(verdict_of("", "drop"), "drop");
  EXPECT_EQ(verdict_of("\t\treject with icmpx admin-prohibited\n"), "drop");
  EXPECT_EQ(verdict_of("\t\tcounter packets 12 bytes 3 drop\n"), "drop");
  EXPECT_EQ(verdict_of("\t\tip saddr 10.0.0.9 drop\n\t\tct state invalid drop\n"), "accept");
}

}  // namespace
}  // namespace linerate::node
