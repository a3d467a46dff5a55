// A file is read as it stands, or refused by one sentence with its line and the valid choices.
#include "backends/host/emulation/network.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace linerate::host {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kMin =
    "nodes: 4\nranks_per_node: 2\nnic: {bandwidth: 50 GB/s, latency: 2 us}\n";

TEST(NetworkFile, IsReadWithAllItsKeys) {
  const auto network = parse_network(
      "nodes: 4\n"
      "ranks_per_node: 2\n"
      "nic: {bandwidth: 400 Gbit/s, latency: 2us, rails: 2}\n"
      "local: {bandwidth: 2e2 GB/s, latency: 500 ns}\n"
      "rack:\n"
      "  nodes: 2\n"
      "  bandwidth: 25000 MB/s\n"
      "  latency: 0.001 ms\n"
      "spine: {bandwidth: 100GB/s, latency: 0 us}\n"
      "slow:\n"
      "  - {link: node3.nic1.up, factor: 4}\n"
      "  - {rank: 5, delay_us: 100}\n"
      "dilation: 20\n");

  ASSERT_TRUE(network) << network.sentence();
  const NetworkPlan& plan = network->plan();
  EXPECT_EQ(plan.nodes, 4);
  EXPECT_EQ(plan.ranks_per_node, 2);
  EXPECT_EQ(plan.rails, 2);
  EXPECT_EQ(plan.nodes_per_rack, 2);
  EXPECT_EQ(plan.dilation, 20);
  EXPECT_DOUBLE_EQ(plan.nic.gbps, 50);
  EXPECT_DOUBLE_EQ(plan.nic.latency_us, 2);
  EXPECT_DOUBLE_EQ(plan.local->gbps, 200);
  EXPECT_DOUBLE_EQ(plan.local->latency_us, 0.5);
  EXPECT_DOUBLE_EQ(plan.rack->gbps, 25);
  EXPECT_DOUBLE_EQ(plan.rack->latency_us, 1);
  EXPECT_DOUBLE_EQ(plan.spine->gbps, 100);
  EXPECT_EQ(network->busy(*network->find_link("node3.nic1.up"), 1'000'000).real_ns,
            20'000 * 4 * 20);
  EXPECT_EQ(network->path(5, 4).latency.real_ns, (500 + 100'000) * 20);
}

TEST(NetworkFile, NeedsLittle) {
  const auto network = parse_network(kMin);

  ASSERT_TRUE(network) << network.sentence();
  EXPECT_EQ(network->nranks(), 8);
  EXPECT_EQ(network->plan().dilation, 1);
  EXPECT_FALSE(network->plan().local || network->plan().rack || network->plan().spine);
}

TEST(NetworkFile, MayNameOneSlowThingAlone) {
  const auto network =
      parse_network(std::string(kMin) + "slow: {link: node0.nic.down, factor: 2}\n");

  ASSERT_TRUE(network) << network.sentence();
  EXPECT_EQ(network->busy(*network->find_link("node0.nic.down"), 1000).real_ns, 40);
}

struct Refused {
  std::string text;
  std::string sentence;  // its beginning
};

void PrintTo(const Refused& refused, std::ostream* out) { *out << refused.text; }

class NetworkFileRefuses : public testing::TestWithParam<Refused> {};

TEST_P(NetworkFileRefuses, InOneSentence) {
  const auto network = parse_network(GetParam().text);

  ASSERT_FALSE(network) << GetParam().text;
  EXPECT_THAT(network.sentence(), StartsWith(GetParam().sentence)) << GetParam().text;
  EXPECT_EQ(network.sentence().back() == '.' || network.sentence().back() == '?', true)
      << network.sentence();
}

std::string with(std::string_view more) { return std::string(kMin) + std::string(more); }

std::string nic(std::string_view rate) {
  return "nodes: 4\nranks_per_node: 2\nnic: {" + std::string(rate) + "}\n";
}

INSTANTIATE_TEST_SUITE_P(
    Keys, NetworkFileRefuses,
    testing::Values(
        Refused{"", ": it does not hold one document, and nothing behind it."},
        Refused{"[1, 2]", ", line 1: the network is not a map: its keys are nodes, ranks_per"},
        Refused{"nodes: 4\n", ", line 1: ranks_per_node of the network is missing."},
        Refused{"nodes: 2\nranks_per_node: 1\n", ", line 1: nic of the network is missing."},
        Refused{with("Nodes: 2\n"), ", line 4: Unknown key of the network 'Nodes': choose one of "},
        Refused{with("[a]: 2\n"), ", line 4: Unknown key of the network '': choose"},
        Refused{with("nodes: 2\n"), ", line 4: the network has the key nodes twice: give it once."},
        Refused{with("spine: {bandwidth: 1 GB/s, latency: 1 us}\n"),
                ", line 4: spine of the network connects racks: give rack too"},
        Refused{with("rack: {bandwidth: 1 GB/s, latency: 1 us}\n"),
                ", line 4: nodes of rack is missing."},
        Refused{with("local: 5 us\n"), ", line 4: local is not a map: its keys are bandwidth, "},
        Refused{with("local: {bandwidth: 5 GB/s}\n"), ", line 4: latency of local is missing."},
        Refused{
            nic("bandwith: 5 GB/s, latency: 1 us"),
            ", line 3: Unknown key of nic 'bandwith': choose one of bandwidth, latency, rails."},
        Refused{with("---\nnodes: 2\n"), ": it does not hold one document, and nothing behind it."},
        Refused{", a: 4}\n b\xff: c", ": it does not hold one document"},  // hung yaml-cpp 0.7
        Refused{with("}\n"), ", line 4: it is not YAML ("},
        Refused{"nodes: [4\n", ", line 2: it is not YAML ("},
        Refused{"nodes: *a\n", ", line 1: it is not YAML ("}));

INSTANTIATE_TEST_SUITE_P(
    Values, NetworkFileRefuses,
    testing::Values(
        Refused{"nodes: four\nranks_per_node: 2\nnic: {bandwidth: 5 GB/s, latency: 1 us}",
                ", line 1: nodes of the network is 'four': a whole number from 1 to 1024 is "},
        Refused{"nodes: 1025\nranks_per_node: 2\nnic: {bandwidth: 5 GB/s, latency: 1 us}",
                ", line 1: nodes of the network is '1025': a whole number from 1 to 1024 is "},
        Refused{"nodes: 2\nranks_per_node: 0\nnic: {bandwidth: 5 GB/s, latency: 1 us}",
                ", line 2: ranks_per_node of the network is '0'"},
        Refused{"nodes: [2]\nranks_per_node: 1\nnic: {bandwidth: 5 GB/s, latency: 1 us}",
                ", line 1: nodes of the network is not a single value."},
        Refused{
            nic("bandwidth: 50, latency: 1 us"),
            ", line 3: bandwidth of nic is '50': a number with its unit is needed, one of GB/s, "},
        Refused{
            nic("bandwidth: 50 GB/s, latency: 1"),
            ", line 3: latency of nic is '1': a number with its unit is needed, one of us, ns, "},
        Refused{nic("bandwidth: 50 us, latency: 1 us"),
                ", line 3: bandwidth of nic is '50 us': a "},
        Refused{nic("bandwidth: 0 GB/s, latency: 1 us"),
                ", line 3: bandwidth of nic is '0 GB/s': it must be from 1e-06 to 1000000 GB/s."},
        Refused{nic("bandwidth: nan GB/s, latency: 1 us"),
                ", line 3: bandwidth of nic is 'nan GB/s'"},
        Refused{nic("bandwidth: 5 GB/s, latency: -1 us"),
                ", line 3: latency of nic is '-1 us': it "},
        Refused{nic("bandwidth: 5 GB/s, latency: 2 s"),
                ", line 3: latency of nic is '2 s': a number"},
        Refused{nic("bandwidth: 5 GB/s, latency: 1 us, rails: 17"),
                ", line 3: rails of nic is '17'"},
        Refused{with("dilation: 0.5\n"), ", line 4: dilation of the network is '0.5': a whole "},
        Refused{with("dilation: 1e99\n"),
                ", line 4: dilation of the network is '1e99': a whole "}));

INSTANTIATE_TEST_SUITE_P(
    Slow, NetworkFileRefuses,
    testing::Values(
        Refused{with("slow: {link: node9.nic.up, factor: 2}\n"),
                ", line 4: link of slow names none of them: they go from node0.nic.up to "
                "node3.nic.down."},
        Refused{with("slow: {rank: 8, factor: 2}\n"),
                ", line 4: rank of slow is '8': a whole number "},
        Refused{with("slow: {rank: 1}\n"), ", line 4: factor of slow or delay_us is needed."},
        Refused{with("slow: {factor: 2}\n"),
                ", line 4: link of slow or rank is needed, and not both."},
        Refused{with("slow: {rank: 1, link: node0.nic.up, factor: 2}\n"),
                ", line 4: link of slow or rank is needed, and not both."},
        Refused{with("slow: {rank: 1, factor: 0.5}\n"),
                ", line 4: factor of slow is '0.5': a number "},
        Refused{with("slow:\n  - {rank: 1, factor: 2}\n  - {rank: 1, delay_us: 2}\n"),
                ", line 6: entry of slow for rank 1 is the second one: give it once."},
        Refused{with("slow: 3\n"),
                ", line 4: slow is not a map: its keys are link, rank, factor, "}));

TEST(NetworkFile, HasItsSizeLimit) {
  const auto network = parse_network(std::string(kMaxNetworkBytes + 1, '#'));

  ASSERT_FALSE(network);
  EXPECT_THAT(network.sentence(), StartsWith(": it has 65537 bytes; at most 64 KiB are read."));
}

TEST(NetworkFile, IsNamedInTheSentence) {
  EXPECT_EQ(read_network("/no/such.yaml").sentence(),
            "--emulate '/no/such.yaml': No such file or directory.");
  EXPECT_THAT(read_network("/dev/zero").sentence(), HasSubstr("pipe or device"));
}

}  // namespace
}  // namespace linerate::host
