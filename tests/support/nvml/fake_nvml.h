// A management library of NVIDIA's that answers from a table of the test's making.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace linerate::topo {

// One NVLink; the GPU has it even when it is down.
struct FakeLink {
  std::string remote{};  // "0000:3B:00.0", "" hidden from the machine
  bool up = true;
  bool peer_to_peer = true;
};

struct FakeGpu {
  std::string name = "NVIDIA H100 80GB HBM3";
  unsigned domain = 0, bus = 0, device = 0;
  int sm = 90;
  std::vector<FakeLink> links{};
  unsigned generation = 5, width = 16, max_generation = 5, max_width = 16;
  unsigned c2c_links = 0, c2c_down = 0, c2c_mbps = 0;
  int status = 0;  // of asking for its place on the bus
  // Its health; a lost GPU answers nothing of it.
  bool lost = false, ecc = true;
  unsigned temperature = 40, slowdown_temperature = 90;
  unsigned clock = 1980, max_clock = 1980, utilization = 100;
  unsigned long long slowdowns = 0, ecc_corrected = 0, ecc_uncorrected = 0;
  unsigned pcie_replays = 0;
  std::vector<unsigned long long> xids{};  // that nobody has taken yet
};

struct FakeNvml {
  std::vector<FakeGpu> gpus{};
  std::string driver = "580.95.05";
  int init_status = 0, count_status = 0;
  bool fields = true;  // answers nvmlDeviceGetFieldValues
  bool events = true;  // tells Xids
  int running = 0;     // nvmlInit_v2 less nvmlShutdown
};

}  // namespace linerate::topo

// The library's one table, for the process that loaded it.
extern "C" linerate::topo::FakeNvml* fake_nvml();
