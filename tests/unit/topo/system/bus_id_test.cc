// Bus ids as people and tools write them.
#include "topo/system/bus_id.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

TEST(BusIds, AreReadWithAndWithoutTheirDomain) {
  EXPECT_EQ(*parse_bus_id("0000:18:00.0"), (BusId{0, 0x18, 0, 0}));
  EXPECT_EQ(*parse_bus_id("18:1f.7"), (BusId{0, 0x18, 0x1f, 7}));
  EXPECT_EQ(*parse_bus_id("ffff:FF:01.0"), (BusId{0xffff, 0xff, 1, 0}));
}

TEST(BusIds, OfVirtualBridgesHaveLongDomains) {
  const auto bridge = parse_bus_id("fffffff:ff:ff.0");

  ASSERT_TRUE(bridge);
  EXPECT_EQ(bridge->domain, 0xfffffffU);
}

TEST(BusIds, AreWrittenAsTheyAreRead) {
  for (const auto* text : {"0000:18:00.0", "0001:00:1f.7", "fffffff:ff:ff.0"})
    EXPECT_EQ(text_of(*parse_bus_id(text)), text);
}

TEST(BusIds, ThatAreNoneAreRefusedInOneSentence) {
  for (const auto* text :
       {"", ":", "::.", "0000:18:00", "0000:18:100.0", "0000:18:00.8", "0000:100:00.0", "0x18:00.0",
        "-1:18:00.0", "0000:18:00.0 ", "123456789:18:00.0", "0000:18:00:0"}) {
    const auto id = parse_bus_id(text);

    ASSERT_FALSE(id) << text;
    EXPECT_THAT(id.sentence().find("such as 0000:18:00.0"), testing::Ne(std::string::npos));
  }
}

}  // namespace
}  // namespace linerate::topo
