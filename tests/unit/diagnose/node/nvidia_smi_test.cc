// What is kept of nvidia-smi's texts, in the layout of driver 580, and that other texts are none.
#include "diagnose/node/snapshot_parts.h"

#include <gtest/gtest.h>

#include <array>

namespace linerate::node {
namespace {

constexpr std::string_view kTwoGpus = R"(<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v13.dtd">
<nvidia_smi_log>
	<driver_version>580.1</driver_version>
	<gpu id="00000000:18:00.0">
		<product_name>NVIDIA H100 80GB HBM3</product_name>
		<serial>12345</serial>
		<ecc_errors>
			<volatile>
				<sram_uncorrectable_parity>2</sram_uncorrectable_parity>
				<dram_uncorrectable>N/A</dram_uncorrectable>
			</volatile>
		</ecc_errors>
		<fabric>
			<state>Completed</state>
			<health>
				<summary>Healthy</summary>
			</health>
		</fabric>
		<processes>
			<process_info><pid>475</pid><process_name>/home/someone/train</process_name></process_info>
			<process_info><pid>476</pid></process_info>
		</processes>
	</gpu>
	<gpu id="00000000:2A:00.0">
		<processes>
		</processes>
	</gpu>
</nvidia_smi_log>
)";
const std::array<std::string, 2> kPlaces{"0000:18:00.0", "0000:2a:00.0"};

std::string fact_of(const Snapshot& snapshot, std::string_view key) {
  const auto* found = snapshot.find(key);
  return found == nullptr ? "none" : *found;
}

TEST(GpuStates, AreByPlaceAndElementWithoutWhoUsesTheGpu) {
  Snapshot node;

  const auto gpus = add_gpu_states(node, kTwoGpus);

  EXPECT_EQ(gpus, std::vector<std::string>(kPlaces.begin(), kPlaces.end()));
  const std::map<std::string, std::string, std::less<>> facts{
      {"nvidia-smi 0000:18:00.0 product_name", "NVIDIA H100 80GB HBM3"},
      {"nvidia-smi 0000:18:00.0 ecc_errors.volatile.sram_uncorrectable_parity", "2"},
      {"nvidia-smi 0000:18:00.0 fabric.state", "Completed"},
      {"nvidia-smi 0000:18:00.0 fabric.health.summary", "Healthy"},
      {"nvidia-smi 0000:18:00.0 processes", "2"},
      {"nvidia-smi 0000:2a:00.0 processes", "0"}};
  EXPECT_EQ(node.facts, facts);
}

TEST(GpuStates, OfAnotherTextAreNone) {
  for (const auto* text : {"", "No devices were found\n", "<nvidia_smi_log><gpu id=\"x\"/>"}) {
    Snapshot node;
    EXPECT_TRUE(add_gpu_states(node, text).empty());
    EXPECT_EQ(fact_of(node, "could not run nvidia-smi"), "prints no XML");
  }
}

TEST(NvlinkErrors, AreAddedUpForEachGpu) {
  Snapshot node;
  add_nvlink_errors(node, kPlaces,
                    "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-0)\n"
                    "\t Link 0: Replay Errors: 3\n\t Link 0: CRC Errors: 0\n"
                    "\t Link 1: Replay Errors: 4\n\t Link 1: CRC Errors: x\n"
                    "GPU 7: NVIDIA H100 80GB HBM3 (UUID: GPU-7)\n\t Link 0: Replay Errors: 9\n");

  EXPECT_EQ(fact_of(node, "nvidia-smi 0000:18:00.0 nvlink.replay_errors"), "7");
  EXPECT_EQ(fact_of(node, "nvidia-smi 0000:18:00.0 nvlink.crc_errors"), "0");
  EXPECT_EQ(node.facts.size(), 2U);
}

TEST(PeerAccess, IsToldOfPairsWithout) {
  Snapshot node;
  add_peer_access(node, kPlaces, " \tGPU0\tGPU1\t\n GPU0\tX\tCNS\t\n GPU1\tCNS\tX\t\n\nLegend:\n");

  EXPECT_EQ(fact_of(node, "nvidia-p2p 0000:18:00.0 0000:2a:00.0"), "CNS");
  EXPECT_EQ(node.facts.size(), 2U);
}

}  // namespace
}  // namespace linerate::node
