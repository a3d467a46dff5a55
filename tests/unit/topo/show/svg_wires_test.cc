// Links of pictures and their labels.
#include "topo/show/svg_wires.h"

#include "support/topo/svg_page.h"
#include "topo/cluster/node_shape.h"
#include "topo/show/link_look.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

namespace linerate::topo {
namespace {

using testing::ElementsAre;

SvgPage page_of(const Sketch& sketch) { return SvgPage(sketch.canvas.document(400, 400, "")); }

TEST(StrokeOf, GrowsWithBandwidthWithinBounds) {
  double before = stroke_of(0);
  EXPECT_EQ(before, 1.5);
  for (const double gbps : {12.0, 24.0, 48.0, 96.0, 370.8, 721.8}) {
    EXPECT_GT(stroke_of(gbps), before) << gbps;
    before = stroke_of(gbps);
  }
  EXPECT_EQ(stroke_of(5000), 9);
}

TEST(PciWire, IsAsFastAsTheSlowestOfAChain) {
  const PciDevice fast{.link = pci_x16(5), .max_link = pci_x16(5)};
  const PciDevice slow{.link = pci_x16(3), .max_link = pci_x16(3)};
  const PciDevice worn{.link = pci_x16(1), .max_link = pci_x16(5)};

  EXPECT_EQ(pci_wire_of({&fast, &slow}).gbps, 12);
  EXPECT_FALSE(pci_wire_of({&fast, &slow}).degraded);
  EXPECT_THAT(pci_wire_of({&fast, &slow}).label, ElementsAre("12 GB/s"));
  EXPECT_TRUE(pci_wire_of({&worn, &fast}).degraded);
  EXPECT_THAT(pci_wire_of({&worn, &fast}).label, ElementsAre("3 of", "48 GB/s"));
}

TEST(PciWire, SaysThatASpeedIsNotKnown) {
  const PciDevice unknown{};

  EXPECT_THAT(pci_wire_of({&unknown}).label, ElementsAre("not known:", "12 GB/s"));
}

TEST(Wire, HasItsLabelBesideIt) {
  Sketch sketch;
  draw_wire(sketch, {.x = 100, .top = 10, .bottom = 50, .gbps = 48, .label = {"48 GB/s"}});
  draw_wire(sketch, {.x = 300,
                     .top = 10,
                     .bottom = 50,
                     .kind = LinkKind::c2c,
                     .gbps = 224,
                     .label = {"224 GB/s"},
                     .side = Anchor::end});

  const auto page = page_of(sketch);

  EXPECT_THAT(page.links("link pci"), ElementsAre("M 100.0 10.0 V 50.0"));
  const auto texts = page.texts();
  EXPECT_GT(texts[0].box.x, 100 + stroke_of(48) / 2);
  EXPECT_LT(texts[1].box.right(), 300 - stroke_of(224) / 2);
  EXPECT_THAT(sketch.kinds, ElementsAre(LinkKind::c2c, LinkKind::pci));
}

TEST(Label, TakesTheFirstPlaceThatIsFree) {
  Sketch sketch;
  const std::array<TextPlace, 2> places{{{100, 100, Anchor::middle}, {100, 150, Anchor::middle}}};

  for (int i = 0; i < 3; ++i) draw_label(sketch, "20 GB/s", places);

  const auto texts = page_of(sketch).texts();
  ASSERT_EQ(texts.size(), 2U) << "the third one has no place";
  EXPECT_FALSE(collide(texts[0].box, texts[1].box, 0));
}

}  // namespace
}  // namespace linerate::topo
