#include "topo/read/system_json.h"

#include "record/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <type_traits>

namespace linerate::topo {

// The members of each type, once for both ways: json::Writer and json::Reader, which find them
// here.

void fields(auto& io, Is<PciLink> auto& link) {
  io.sparse("speed", link.speed);
  io.sparse("width", link.width);
}

void fields(auto& io, Is<NvLink> auto& link) {
  io.field("target", link.target);
  io.field("count", link.count);
  io.sparse("tclass", link.tclass);
  io.sparse("capacity", link.capacity);
}

void fields(auto& io, Is<C2c> auto& link) {
  io.field("link_mbps", link.link_mbps);
  io.field("count", link.count);
}

void fields(auto& io, Is<Gpu> auto& gpu) {
  io.field("dev", gpu.dev);
  io.sparse("sm", gpu.sm);
  io.field("rank", gpu.rank);
  io.sparse("gdr", gpu.gdr);
  io.sparse("model", gpu.model);
  io.sparse("gcn", gpu.gcn);
  io.sparse("nvlinks", gpu.nvlinks);
  io.sparse("c2c", gpu.c2c);
}

void fields(auto& io, Is<Net> auto& net) {
  io.field("name", net.name);
  io.field("dev", net.dev);
  io.sparse("speed_mbps", net.speed_mbps);
  io.field("port", net.port);
  io.sparse("latency_us", net.latency_us);
  io.sparse("maxconn", net.maxconn);
  io.sparse("gdr", net.gdr);
  io.sparse("coll", net.coll);
  io.sparse("link_layer", net.link_layer);
  io.sparse("state", net.state);
  io.sparse("netdev", net.netdev);
}

template <Is<PciDevice> Device>
void fields(auto& io, Device& device) {
  auto place = text_of(device.bus_id);
  io.field("bus_id", place);
  if constexpr (!std::is_const_v<Device>) {
    if (const auto id = parse_bus_id(place))
      device.bus_id = *id;
    else
      io.complain("bus_id");
  }
  io.sparse("class", device.class_code);
  io.sparse("vendor", device.vendor);
  io.sparse("device", device.device);
  io.sparse("subsystem_vendor", device.subsystem_vendor);
  io.sparse("subsystem_device", device.subsystem_device);
  io.sparse("link", device.link);
  io.sparse("max_link", device.max_link);
  io.sparse("name", device.name);
  io.sparse("children", device.children);
  io.sparse("gpu", device.gpu);
  io.sparse("nets", device.nets);
}

template <Is<Cpu> Processor>
void fields(auto& io, Processor& cpu) {
  io.field("numa", cpu.numa);
  io.sparse("affinity", cpu.affinity);
  std::string arch(kArchNames[static_cast<std::size_t>(cpu.arch)]);
  io.sparse("arch", arch);
  if constexpr (!std::is_const_v<Processor>) {
    const auto at = std::ranges::find(kArchNames, arch);
    if (at == kArchNames.end()) return io.complain("arch");
    cpu.arch = static_cast<CpuArch>(at - kArchNames.begin());
  }
  io.sparse("vendor", cpu.vendor);
  io.sparse("family", cpu.family);
  io.sparse("model", cpu.model);
  io.field("package", cpu.package);
  io.sparse("name", cpu.name);
  io.sparse("cores", cpu.cores);
  io.sparse("threads", cpu.threads);
  io.sparse("l3_bytes", cpu.l3_bytes);
  io.sparse("core_threads", cpu.core_threads);
  io.sparse("devices", cpu.devices);
  io.sparse("nets", cpu.nets);
}

void fields(auto& io, Is<System> auto& system) {
  io.field("name", system.name);
  io.field("cpus", system.cpus);
  io.sparse("unseen", system.unseen);
  io.sparse("has_nccl_ports", system.has_nccl_ports);
  io.sparse("driver", system.driver);
  io.sparse("usable", system.usable);
}

namespace {

// The reader calls itself for what is inside, and looks for keys one by one.
bool is_modest(const nlohmann::json& value, int depth = 0) {
  constexpr int kDeepest = 64;
  constexpr std::size_t kMostKeys = 32, kMostElements = 1U << 16U;
  if (depth > kDeepest || value.size() > (value.is_object() ? kMostKeys : kMostElements))
    return false;
  return std::ranges::all_of(value, [&](const nlohmann::json& inner) {
    return !inner.is_structured() || is_modest(inner, depth + 1);
  });
}

// Numbers that no machine has would overflow where they are counted together.
bool is_possible(const System& system) {
  constexpr std::size_t kMostDevices = 4096;
  constexpr double kMost = 1 << 24;  // of what is counted, and Mb/s
  std::size_t devices = 0;
  bool possible = !system.cpus.empty();
  const auto look = [&](std::initializer_list<double> numbers) {
    for (const double number : numbers) possible = possible && number >= -1 && number <= kMost;
  };
  for (const auto& cpu : system.cpus)
    look({double(cpu.numa), double(cpu.family), double(cpu.model), double(cpu.package),
          double(cpu.cores), double(cpu.threads)});
  walk_ports(system, [&](const std::vector<Net>& nets) {
    devices += nets.size();
    for (const auto& net : nets)
      look(
          {double(net.dev), double(net.port), double(net.maxconn), net.speed_mbps, net.latency_us});
  });
  walk_devices(system, [&](const Cpu&, const PciDevice& device, int) {
    ++devices;
    look({double(device.link.width), double(device.max_link.width)});
    if (!device.gpu) return;
    look({double(device.gpu->dev), double(device.gpu->sm), double(device.gpu->rank)});
    devices += device.gpu->nvlinks.size();
    for (const auto& link : device.gpu->nvlinks) look({double(link.count), double(link.capacity)});
    if (device.gpu->c2c) look({double(device.gpu->c2c->count), device.gpu->c2c->link_mbps});
  });
  return possible && devices <= kMostDevices;
}

}  // namespace

json::Json json_of(const System& system) {
  auto object = json::Json::object();
  json::Writer writer(object);
  fields(writer, system);
  return object;
}

Result<System> system_of_json(const nlohmann::json& object) {
  if (!object.is_object()) return Failure{"is no JSON object"};
  if (!is_modest(object)) return Failure{"is too large or too deep"};
  const json::Json ordered(object);
  System system{.source = "a snapshot"};
  std::string problem;
  json::Reader reader(ordered, problem);
  fields(reader, system);
  if (!problem.empty()) return Failure{fmt::format("has a wrong '{}'", problem)};
  if (!is_possible(system)) return Failure{"is that of no machine"};
  return system;
}

}  // namespace linerate::topo
