// Graphs for Graphviz: a small one word by word, others by what holds for all.
#include "base/text.h"
#include "support/topo/shown_systems.h"
#include "topo/cluster/platforms.h"
#include "topo/show/views.h"
#include "unit/topo/graph/random_system.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

// The line without its quoted texts; nothing where a quote is not closed.
std::string without_texts(const std::string& line) {
  std::string rest;
  bool within = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (within && line[i] == '\\') {
      ++i;
    } else if (line[i] == '"') {
      within = !within;
    } else if (!within) {
      rest += line[i];
    }
  }
  return within ? "" : rest;
}

TEST(Dot, OfAMachineWithoutGpus) {
  EXPECT_EQ(dot_text(build_graph(little_machine())),
            "graph topology {\n"
            "  graph [label=\"laptop: 1 NUMA node, 0 GPUs, 1 NIC port\", labelloc=t, "
            "fontname=\"Helvetica\", style=rounded];\n"
            "  node [shape=box, style=\"rounded,filled\", fontname=\"Helvetica\", fontsize=11];\n"
            "  edge [fontname=\"Helvetica\", fontsize=9];\n"
            "  subgraph \"cluster_h0_numa0\" {\n"
            "  label=\"NUMA node 0\";\n"
            "  n0 [label=\"CPU0\\nXeon\\ncores 0-1\", fillcolor=\"#d5dce6\"];\n"
            "  subgraph \"cluster_n1\" {\n"
            "  style=invis;\n"
            "  n1 [label=\"NIC 0000:00:03.0\", fillcolor=\"#dcecfb\"];\n"
            "  n2 [label=\"eth0\\nspeed not known\", fillcolor=\"#dcecfb\"];\n"
            "  }\n"
            "  }\n"
            "  n0 -- n1 [label=\"  12 GB/s\", tooltip=\"PCI Express\", color=\"#64748b\", "
            "penwidth=2.6];\n"
            "  n1 -- n2 [label=\"  1.2 GB/s\", tooltip=\"network port\", color=\"#1d6fb8\", "
            "penwidth=1.5];\n"
            "}\n");
}

TEST(Dot, TellsPortsThatNcclLeavesOut) {
  const auto dot = dot_text(build_graph(worn_machine()));

  EXPECT_EQ(times_in(dot, "NCCL leaves it out"), 2U);
  EXPECT_EQ(times_in(dot, "mlx5_1\\nDOWN (Polling)\\nNCCL leaves it out"), 1U) << dot;
  EXPECT_EQ(times_in(dot, "eth9\\n2.5 Gb/s\\nNCCL leaves it out"), 1U) << dot;
}

TEST(Dot, DashesDegradedLinks) {
  const auto text = dot_text(build_graph(worn_machine()));

  EXPECT_EQ(times_in(text, "style=dashed"), 1U);
  EXPECT_NE(text.find("[label=\"  12 GB/s\", tooltip=\"PCI Express\", color=\"#d32f2f\", "
                      "penwidth=2.6, style=dashed]"),
            std::string::npos)
      << text;
}

TEST(Dot, HasEachNodeAndEachLinkOnce) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Graph graph = build_graph(random_system(seed));
    std::size_t ends = 0;
    for (const auto& node : graph.nodes()) ends += node.links.size();

    const auto text = dot_text(graph);

    EXPECT_EQ(times_in(text, " -- "), ends / 2) << seed;
    for (std::size_t n = 0; n < graph.nodes().size(); ++n)
      EXPECT_EQ(times_in(text, fmt::format("\n  n{} [", n)), 1U) << seed;
  }
}

TEST(Dot, HasABoxForEachHost) {
  const auto text = dot_text(build_graph(*built_in_platform("gb200-nvl72")));

  EXPECT_EQ(times_in(text, "subgraph \"cluster_h"), 18U * 3U);
  EXPECT_EQ(times_in(text, "{"), times_in(text, "}"));
  EXPECT_NE(text.find("label=\"h17/GPU3\\n"), std::string::npos);
}

// One for each of the four switches at a processor, with the GPU, the NIC and its port below.
TEST(Dot, KeepsWhatIsBelowASwitchTogether) {
  const auto text = dot_text(build_graph(*built_in_platform("azure-ndv5")));

  EXPECT_EQ(times_in(text, "style=invis"), 8U);
  const auto box = text.substr(text.find("style=invis"));
  const auto first = box.substr(0, box.find("  }\n"));
  EXPECT_EQ(times_in(first, "fillcolor"), 4U) << first;
  EXPECT_NE(first.find("label=\"GPU0"), std::string::npos) << first;
  EXPECT_NE(first.find("label=\"mlx5_0"), std::string::npos) << first;
}

TEST(Dot, HasProcessorsSideBySide) {
  const auto text = dot_text(build_graph(*built_in_platform("dgx-h100")));

  EXPECT_EQ(times_in(text, "constraint=false"), 1U);
}

TEST(Dot, TellsNoBandwidthWhereThereIsNoBus) {
  auto system = little_machine();
  system.cpus[0].affinity.clear();
  system.cpus[0].devices.clear();
  system.cpus[0].nets = {{.name = "eth9", .speed_mbps = 10000}};

  const auto text = dot_text(build_graph(system));

  EXPECT_EQ(text.find("5000"), std::string::npos) << text;
  EXPECT_EQ(text.find("cores"), std::string::npos) << text;
}

TEST(Dot, QuotesWhateverNamesHold) {
  const auto text = dot_text(build_graph(hostile_machine()));

  EXPECT_NE(text.find("<a>&amp;\\\"'\\\\??[31m?"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  for (const auto& line : split(text, '\n')) {
    const auto rest = without_texts(line);
    EXPECT_EQ(rest.empty(), line.empty()) << "a quote that is not closed: " << line;
    EXPECT_EQ(rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789 =-,.;[]{}"),
              std::string::npos)
        << line;
  }
}

}  // namespace
}  // namespace linerate::topo
