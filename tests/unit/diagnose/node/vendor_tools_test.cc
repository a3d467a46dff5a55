// What is kept of texts of ethtool, mlxlink and dcgmi, and that any other texts are none.
#include "diagnose/node/snapshot_parts.h"

#include <gmock/gmock.h>

namespace linerate::node {
namespace {

using Facts = std::map<std::string, std::string, std::less<>>;

TEST(InterfaceCounters, AreThoseOfPausesAndDropsThatAreNotZero) {
  Snapshot node;
  add_interface_counters(node, "ens0",
                         "NIC statistics:\n     rx_packets: 77\n     rx_prio3_pause: 12\n"
                         "     tx_prio3_pause: 0\n     rx_prio3_pause_duration: 9\n"
                         "     rx_discards_phy: 3\n     tx_pause_storm_error_events: 1\n"
                         "     rx_prio0_discards: x\n");

  EXPECT_EQ(node.facts, (Facts{{"ethtool ens0", "asked"},
                               {"ethtool ens0 rx_prio3_pause", "12"},
                               {"ethtool ens0 rx_discards_phy", "3"},
                               {"ethtool ens0 tx_pause_storm_error_events", "1"}}));
}

TEST(LinkQuality, IsBothSharesOfWrongBits) {
  Snapshot node;
  add_link_quality(node, "mlx5_0",
                   "Physical Counters and BER Info\n------\n"
                   "Time Since Last Clear [Min]        : 12.0\n"
                   "Effective Physical BER             : 15E-255\n"
                   "Raw Physical BER                   : 3E-9\nRaw Physical BER : N/A\n");

  EXPECT_EQ(node.facts, (Facts{{"mlxlink mlx5_0 effective_ber", "15E-255"},
                               {"mlxlink mlx5_0 raw_ber", "3E-9"}}));
}

TEST(Diagnosis, IsTheTestsThatFailOrWarnInBothLayouts) {
  Snapshot old_layout, layout;
  add_diagnosis(old_layout,
                R"({"DCGM GPU Diagnostic": {"test_categories": [{"category": "Deployment",
    "tests": [{"name": "Denylist", "results": [{"gpu_ids": "0", "status": "PASS"}]},
              {"name": "Inforom", "results": [{"status": "FAIL", "warnings": "corrupt"}]}]}]}})");
  add_diagnosis(layout, R"(Notice: text before
    {"DCGM Diagnostic": {"test_categories": [{"category": "Deployment", "tests": [
      {"name": "software", "test_summary": {"status": "Warn"}, "results": [
        {"entity_id": 0, "status": "Fail", "warnings": [{"warning": "row remap failed"}]}]}]}]}})");

  EXPECT_EQ(old_layout.facts, (Facts{{"dcgmi", "asked"}, {"dcgmi 1 fail", "Inforom: corrupt"}}));
  EXPECT_EQ(layout.facts, (Facts{{"dcgmi", "asked"},
                                 {"dcgmi 1 fail", "software: row remap failed"},
                                 {"dcgmi 2 warn", "software: "}}));
}

TEST(Diagnosis, OfAnotherTextIsNone) {
  for (const std::string& text :
       {std::string("Error: unable to connect"), std::string("{"), std::string(100'000, '[')}) {
    Snapshot node;
    add_diagnosis(node, text);
    EXPECT_EQ(node.facts, (Facts{{"could not run dcgmi", "prints no JSON"}}));
  }
}

}  // namespace
}  // namespace linerate::node
