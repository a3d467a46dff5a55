// The newest table in full, and what was different before.
#include "topo/model/constants.h"

namespace linerate::topo {
namespace {

constexpr std::size_t kBlackwell = index_of(Generation::blackwell);
constexpr std::size_t kHopper = index_of(Generation::hopper);
constexpr std::size_t kNvlink = index_of(Hardware::nvlink);
constexpr std::size_t kPci = index_of(Hardware::pci);
constexpr std::size_t kNet = index_of(Hardware::net);
constexpr std::size_t kTree = index_of(Algorithm::tree);
constexpr std::size_t kNvls = index_of(Algorithm::nvls);
constexpr std::size_t kNvlsTree = index_of(Algorithm::nvls_tree);
constexpr std::size_t kSimple = index_of(Protocol::simple);

// 2.30. Columns of a triple: LL, LL128, Simple. Rows: tree, ring, NVLS, NVLS tree, PAT.
constexpr ModelConstants kNewest{
    .base_us = {{{6.8, 14.0, 8.4}, {6.6, 14.0, 8.4}, {}, {}, {8.0, 8.0, 8.0}}},
    .hardware_us = {{
        {{{0.6, 1.25, 4.0}, {0.6, 1.9, 3.4}, {0, 0, 25}, {0, 0, 25}, {0, 0, 4.0}}},
        {{{1.0, 1.9, 4.0}, {1.0, 2.5, 5.7}, {}, {}, {0, 0, 4.0}}},
        {{{5.0, 8.5, 14}, {2.7, 4.0, 14}, {0, 0, 18}, {0, 0, 20.9}, {0, 0, 14}}},
    }},
    .ll_gbps = {{{39.0, 39.0, 20.4}, {87.7, 22.5, 19.0}, {141.0, 45.0, 35.0}, {282.0, 90.0, 70.0}}},
    .channel_ring_ll128_gbps = {{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 36.7}, {40, 40, 40}}},
    .channel_tree_ll128_gbps =
        {{{20, 20, 20}, {20, 20, 20}, {36.7, 36.7, 29.0}, {55.6, 31.67, 20.0}}},
    .channel_tree_gbps =
        {{{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {38.7, 41.4, 36.0}, {70.0, 42.8, 24.0}}},
    .channel_nvls_tree_gbps =
        {{{26.5, 18.5, 10.0}, {24.0, 23.6, 17.8}, {0, 57.7, 45.5}, {0, 96.0, 80.0}}},
    .nvls_efficiency = {0, 0, 0.85, 0.74},
    .pat_efficiency = 0.75,
};

// What versions before `before` had instead.
struct Difference {
  NcclVersion before;
  void (*apply)(ModelConstants&);
};

// From the newest to the oldest; each holds for all that is older still.
constexpr Difference kDifferences[] = {
    {{2, 30, 0},
     [](ModelConstants& c) {
       c.channel_nvls_tree_gbps[kBlackwell] = {0, 96, 43.8};
     }},
    {{2, 29, 7},
     [](ModelConstants& c) {
       c.channel_ring_ll128_gbps[kBlackwell] = {34.5, 34.6, 34.5};
     }},
    {{2, 29, 0},
     [](ModelConstants& c) {
       c.channel_ring_ll128_gbps[kBlackwell] = {73.4, 34.6, 73.4};
     }},
    {{2, 28, 9},
     [](ModelConstants& c) {
       c.channel_nvls_tree_gbps[kBlackwell] = {0, 96, 43.1};
       c.hardware_us[kNet][kNvlsTree][kSimple] = 14;
     }},
    {{2, 28, 7},
     [](ModelConstants& c) {
       c.channel_ring_ll128_gbps[kBlackwell] = {73.4, 73.4, 73.4};
     }},
    {{2, 28, 0},
     [](ModelConstants& c) {
       c.channel_tree_ll128_gbps[kBlackwell] = {73.4, 73.4, 58.0};
       c.channel_tree_gbps[kBlackwell] = {77.4, 82.8, 72.0};
     }},
    // Before Blackwell was known it was taken for a Hopper.
    {{2, 25, 0},
     [](ModelConstants& c) {
       for (auto* table : {&c.ll_gbps, &c.channel_ring_ll128_gbps, &c.channel_tree_ll128_gbps,
                           &c.channel_tree_gbps})
         (*table)[kBlackwell] = (*table)[kHopper];
     }},
    {{2, 24, 0}, [](ModelConstants& c) { c.pat_efficiency = 0.85; }},
    {{2, 23, 0},
     [](ModelConstants& c) {
       c.pat_efficiency = 0;
       c.base_us[kTree][kSimple] = 0;
       for (auto& hardware : c.hardware_us) hardware[kTree][kSimple] = 28;
     }},
    {{2, 21, 0},
     [](ModelConstants& c) {
       c.hardware_us[kNvlink][kNvls][kSimple] = c.hardware_us[kNvlink][kNvlsTree][kSimple] = 23;
       c.ll_gbps[kHopper] = c.ll_gbps[kBlackwell] = {87.7, 22.5, 19.0};
     }},
    {{2, 19, 0},
     [](ModelConstants& c) {
       c.base_us[kNvls][kSimple] = c.base_us[kNvlsTree][kSimple] = 23;
       c.hardware_us[kNvlink][kTree][kSimple] = 4;
       c.hardware_us[kNvlink][kNvls] = c.hardware_us[kNvlink][kNvlsTree] = {};
       c.hardware_us[kPci][kTree][kSimple] = 6;
       c.hardware_us[kNet][kTree][kSimple] = 14;
       c.hardware_us[kNet][kNvlsTree][kSimple] = 19;
     }},
};

}  // namespace

Generation generation_of(int sm) {
  if (sm >= kBlackwellSm) return Generation::blackwell;
  if (sm >= kHopperSm) return Generation::hopper;
  return sm >= kAmpereSm ? Generation::ampere : Generation::volta;
}

Hardware hardware_of(PathType way, const NcclVersion& version) {
  return nearer(PathType::nvb, way, version) ? Hardware::pci : Hardware::nvlink;
}

double ring_step_us(const NcclVersion& version, Hardware hardware, Protocol protocol) {
  constexpr auto kRing = index_of(Algorithm::ring);
  const auto constants = constants_of(version);
  return constants.base_us[kRing][index_of(protocol)] +
         constants.hardware_us[index_of(hardware)][kRing][index_of(protocol)];
}

ModelConstants constants_of(const NcclVersion& version) {
  ModelConstants constants = kNewest;
  for (const auto& difference : kDifferences)
    if (version < difference.before) difference.apply(constants);
  return constants;
}

}  // namespace linerate::topo
