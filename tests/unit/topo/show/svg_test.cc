// Pictures of systems, read again: what is in them, and that nothing lies on anything else.
#include "topo/show/svg.h"

#include "support/topo/random_shape.h"
#include "support/topo/shown_systems.h"
#include "support/topo/svg_page.h"
#include "topo/cluster/platforms.h"
#include "topo/show/alike.h"
#include "topo/show/plain_text.h"
#include "unit/topo/graph/random_system.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace linerate::topo {
namespace {

SvgPage page_of(const System& system) { return SvgPage(svg_text(build_graph(system))); }

void expect_tidy(const SvgPage& page, const std::string& what) {
  const auto shapes = page.shapes({"cpu", "switch", "gpu", "nic", "down", "nvswitch"});
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    EXPECT_TRUE(is_within(shapes[i].box, page.canvas())) << what << ": a " << shapes[i].look;
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(collide(shapes[i].box, shapes[j].box, 1))
          << what << ": " << shapes[i].look << " and " << shapes[j].look;
  }
  const auto texts = page.texts();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    EXPECT_TRUE(is_within(texts[i].box, page.canvas())) << what << ": " << texts[i].text;
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_FALSE(collide(texts[i].box, texts[j].box, 3))
          << what << ": " << texts[i].text << " and " << texts[j].text;
  }
}

// Texts in a shape end within it, and others touch none.
void expect_texts_in_their_shapes(const SvgPage& page, const std::string& what) {
  for (const auto& shape : page.shapes({"cpu", "switch", "gpu", "nic", "down", "nvswitch"}))
    for (const auto& text : page.texts())
      if (collide(text.box, shape.box, 3)) {
        EXPECT_GE(text.box.x, shape.box.x - 1) << what << ": " << text.text;
        EXPECT_LE(text.box.right(), shape.box.right() + 1) << what << ": " << text.text;
      }
}

TEST(Svg, OfEveryPlatformIsTidy) {
  for (const auto& platform : platforms()) {
    const auto page = page_of(system_of(platform.shape));
    expect_tidy(page, std::string(platform.name));
    expect_texts_in_their_shapes(page, std::string(platform.name));
    for (const auto& text : page.texts())
      EXPECT_EQ(text.text.find("…"), std::string::npos) << platform.name << ": " << text.text;
  }
}

TEST(Svg, OfRandomSystemsIsTidy) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const auto what = "seed " + std::to_string(seed);
    expect_tidy(page_of(random_system(seed)), what);
    expect_tidy(page_of(system_of(random_shape(seed))), what);
  }
}

TEST(Svg, OfSmallAndWornMachinesIsTidy) {
  for (const auto& system : {little_machine(), worn_machine(), hostile_machine()}) {
    expect_tidy(page_of(system), plain_text(system.name));
    expect_texts_in_their_shapes(page_of(system), plain_text(system.name));
  }
}

TEST(Svg, CutsNamesThatAreTooLong) {
  const std::string name(60, 'w');
  System system = worn_machine();
  system.cpus[0].name = name;
  system.cpus[0].nets[0].name = name;
  system.cpus[0].devices[0].children[0].children[0].gpu->model = name;
  system.name = system.source = name + name;

  const auto page = page_of(system);

  expect_tidy(page, "long names");
  expect_texts_in_their_shapes(page, "long names");
}

TEST(Svg, HasEachDeviceOnce) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const Graph graph = build_graph(random_system(seed));
    const SvgPage page(svg_text(graph));
    for (const auto kind : {NodeKind::gpu, NodeKind::net, NodeKind::cpu})
      for (const int n : graph.of(kind))
        EXPECT_EQ(page.times(graph.node(n).name), 1U) << seed << ": " << graph.node(n).name;
  }
}

TEST(Svg, HasALineForEachNvLinkToSwitches) {
  const auto page = page_of(*built_in_platform("dgx-h100"));

  EXPECT_EQ(page.links("link nvl").size(), 8U + 1U) << "and one in the legend";
  EXPECT_EQ(page.times("371 GB/s"), 8U);
  EXPECT_EQ(page.times("4 NVSwitches: 18 NVLinks, 371 GB/s from each of GPU0-GPU7"), 1U);
}

TEST(Svg, HasAnArcForEachPairWithNvLinks) {
  NodeShape shape{.numas = 1, .switches = 0, .gpus = 4, .nics = 0};
  shape.gpu.nvlinks = 6;
  shape.gpu.nvswitches = 0;
  const auto page = page_of(system_of(shape));

  const auto links = page.links("link nvl");

  EXPECT_EQ(
      std::ranges::count_if(
          links, [](const std::string& path) { return path.find(" C ") != std::string::npos; }),
      6);
  EXPECT_EQ(page.times("41.2 GB/s"), 6U);
}

TEST(Svg, DashesDegradedLinksInRed) {
  const auto page = page_of(worn_machine());

  EXPECT_EQ(page.links("link pci bad").size(), 1U + 1U) << "and one in the legend";
  EXPECT_EQ(page.links("link nvl bad").size(), 1U);
  EXPECT_EQ(page.times("12 of"), 1U);
  EXPECT_EQ(page.times("17 of 18"), 1U);
  EXPECT_EQ(page.times("degraded: below what both ends can do"), 1U);
  EXPECT_EQ(page.shapes({"down"}).size(), 1U);
}

TEST(Svg, ExplainsOnlyWhatIsThere) {
  const auto page = page_of(*built_in_platform("pcie-8xl40s"));

  EXPECT_EQ(page.times("PCI Express"), 1U);
  EXPECT_EQ(page.times("between processors"), 1U);
  EXPECT_EQ(page.times("NVLink"), 0U);
  EXPECT_EQ(page.times("degraded: below what both ends can do"), 0U);
}

TEST(Svg, DrawsOneOfHostsThatAreAlike) {
  const auto page = page_of(*built_in_platform("gb200-nvl72"));

  EXPECT_EQ(page.times("18 hosts alike: h0-h17, one of them drawn"), 1U);
  EXPECT_EQ(page.shapes({"gpu"}).size(), 4U);
  EXPECT_EQ(page.times("224 GB/s"), 4U) << "C2C";
}

TEST(Svg, DrawsHostsThatDiffer) {
  System system = *built_in_platform("gb200-nvl72");
  system.cpus[11].devices.pop_back();

  const auto page = page_of(system);

  EXPECT_EQ(page.shapes({"gpu"}).size(), 8U);
  EXPECT_EQ(page.times("h5"), 1U);
  expect_tidy(page, "two hosts");
}

TEST(Svg, SaysWhichSpeedsAreNotKnown) {
  EXPECT_EQ(page_of(little_machine()).times("not known:"), 1U);
  EXPECT_EQ(page_of(*built_in_platform("dgx-h100")).times("not known:"), 0U);
}

TEST(Svg, EscapesWhateverNamesHold) {
  const auto system = hostile_machine();

  const auto page = page_of(system);

  EXPECT_EQ(page.times(plain_text(system.name)), 5U) << "title, processor, GPU, NIC, state";
}

TEST(Svg, NeedsNothingFromElsewhere) {
  const auto text = svg_text(build_graph(*built_in_platform("dgx-h100")));

  EXPECT_EQ(times_in(text, "http"), 1U) << "the name space";
  for (const auto* part : {"href", "url(", "@import", "<script", "<image"})
    EXPECT_EQ(text.find(part), std::string::npos) << part;
}

TEST(Svg, OfNothingIsAPicture) { expect_tidy(page_of({.name = "nothing"}), "nothing"); }

}  // namespace
}  // namespace linerate::topo
