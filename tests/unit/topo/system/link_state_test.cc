// Which ports and links count as they are told.
#include "topo/system/link_speed.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

TEST(LinkState, ReadsSpeedsOfBothSpellings) {
  EXPECT_EQ(gigatransfers_of("16.0 GT/s PCIe"), 16);
  EXPECT_EQ(gigatransfers_of("2.5 GT/s"), 2.5);
  EXPECT_EQ(gigatransfers_of("Unknown speed"), 0);
  EXPECT_EQ(gigatransfers_of("16"), 0);
  EXPECT_EQ(gigatransfers_of(""), 0);
}

TEST(LinkState, AGpuIsIdleAtFullWidthAndTheFirstGeneration) {
  const PciLink most{"32.0 GT/s PCIe", 16};
  const auto is_idle_at = [&](const PciLink& link) {
    return is_idle({.link = link, .max_link = most, .gpu = Gpu{}});
  };

  EXPECT_TRUE(is_idle_at({"2.5 GT/s PCIe", 16}));
  EXPECT_FALSE(is_idle_at({"2.5 GT/s PCIe", 8}));
  EXPECT_FALSE(is_idle_at({"5.0 GT/s PCIe", 16}));
  EXPECT_FALSE(is_idle({.link = {"2.5 GT/s PCIe", 16}, .max_link = most}));  // no GPU
}

TEST(LinkState, APortIsUpUnlessItSaysOtherwise) {
  EXPECT_TRUE(is_up({.state = "ACTIVE"}));
  EXPECT_TRUE(is_up({}));
  EXPECT_FALSE(is_up({.state = "DOWN (Polling)"}));
  EXPECT_FALSE(is_up({.state = "INIT"}));
}

TEST(LinkState, VerbsHaveALinkLayerOrAGuid) {
  EXPECT_TRUE(is_verbs({.link_layer = "Ethernet"}));
  EXPECT_TRUE(is_verbs({.guid = 1}));
  EXPECT_FALSE(is_verbs({.name = "eth0"}));
}

}  // namespace
}  // namespace linerate::topo
