// Healthy systems to break, and what lint finds in them.
#pragma once

#include "topo/cluster/platforms.h"
#include "topo/lint/lint.h"
#include "topo/read/nccl_xml.h"
#include "topo/show/views.h"
#include "topo/system/system.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate::topo {

inline System healthy() { return system_of(NodeShape{}); }

// The device of that number among those with a GPU, or with a port.
inline PciDevice& gpu(System& system, int dev) {
  PciDevice* found = nullptr;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    if (device.gpu && device.gpu->dev == dev) found = &device;
  });
  return *found;
}

inline PciDevice& nic(System& system, const std::string& name) {
  PciDevice* found = nullptr;
  walk_devices(system, [&](Cpu&, PciDevice& device, int) {
    if (!device.nets.empty() && device.nets.front().name == name) found = &device;
  });
  return *found;
}

// The only finding; of which rule it must be, and how grave.
inline Finding only(const System& system, std::string_view rule,
                    Severity severity = Severity::warning) {
  const auto findings = lint(system);
  EXPECT_EQ(findings.size(), 1U);
  if (findings.empty()) return {};
  EXPECT_EQ(findings[0].rule, rule);
  EXPECT_EQ(name_of(findings[0].severity), name_of(severity));
  EXPECT_FALSE(findings[0].advice.empty());
  return findings[0];
}

// As NCCL writes it down: links as trained, no maximum, no names, and what it asked the drivers.
inline System dumped(std::string_view platform = "dgx-h100") {
  auto read = read_nccl_xml(*nccl_xml_of(*built_in_platform(platform)), "dump.xml");
  return std::move(read).value();
}

inline std::vector<std::string> warnings(const System& system) {
  std::vector<std::string> rules;
  for (const auto& finding : lint(system))
    if (finding.severity == Severity::warning) rules.push_back(finding.rule);
  return rules;
}

}  // namespace linerate::topo
