// The topology is asked for apart: a driver that does not answer costs no more than its time.
#include "base/child_output.h"
#include "diagnose/node/snapshot_parts.h"
#include "topo/detect/detect.h"
#include "topo/read/system_json.h"
#include "topo/system/links.h"

#include <fmt/format.h>

namespace linerate::node {

void add_topology(Snapshot& snapshot, const std::filesystem::path& root) {
  constexpr OutputLimits kLimits{.seconds = 30, .bytes = std::size_t{4} << 20};
  const auto told = output_of_copy(
      [&] { return json::document(topo::json_of(topo::detect({.root = root}))); }, kLimits);
  auto system = told ? topo::system_of_json(nlohmann::json::parse(*told, nullptr, false))
                     : Result<topo::System>(told.failure());
  if (!system) {
    snapshot.facts["topology"] = system.sentence();
    return;
  }
  topo::walk_devices(*system, [&](const topo::Cpu&, const topo::PciDevice& device, int) {
    if (device.gpu)
      snapshot.facts["gpu " + text_of(device.bus_id)] = fmt::format(
          "{}, {} NVLinks", device.gpu->model.empty() ? "of unknown model" : device.gpu->model,
          active_nvlinks(*device.gpu));
  });
  snapshot.topology = *std::move(system);
}

}  // namespace linerate::node
