#include "topo/detect/hwloc_nvlinks.h"

#include "base/text.h"

#include <fmt/format.h>
#include <hwloc.h>
#include <hwloc/distances.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace linerate::topo {
namespace {

constexpr std::uint32_t kSwitch = 0x068000, kProcessor = 0x068001, kDisplay = 0x030200;

// The matrix as hwloc hands it out, given back at the end.
class NvlinkMatrix {
 public:
  explicit NvlinkMatrix(hwloc_topology_t topology) : topology_(topology) {
    unsigned count = 1;
    if (hwloc_distances_get_by_name(topology, "NVLinkBandwidth", &count, &distances_, 0) != 0 ||
        count == 0)
      distances_ = nullptr;
  }
  ~NvlinkMatrix() {
    if (distances_ != nullptr) hwloc_distances_release(topology_, distances_);
  }
  NvlinkMatrix(const NvlinkMatrix&) = delete;
  NvlinkMatrix& operator=(const NvlinkMatrix&) = delete;

  bool empty() const { return distances_ == nullptr; }
  std::span<const hwloc_obj_t> objects() const {
    return empty() ? std::span<const hwloc_obj_t>()
                   : std::span<const hwloc_obj_t>(distances_->objs, distances_->nbobjs);
  }
  std::uint64_t mbps(std::size_t from, std::size_t to) const {
    return distances_->values[from * distances_->nbobjs + to];
  }

 private:
  hwloc_topology_t topology_;
  hwloc_distances_s* distances_ = nullptr;
};

// The device on the bus that an object is or belongs to.
std::optional<BusId> bus_id_of_object(hwloc_obj_t object) {
  for (; object != nullptr; object = object->parent) {
    if (object->type != HWLOC_OBJ_PCI_DEVICE) continue;
    const auto& pci = object->attr->pcidev;
    return BusId{.domain = pci.domain, .bus = pci.bus, .device = pci.dev, .function = pci.func};
  }
  return std::nullopt;
}

bool is_switch(hwloc_obj_t object) {
  return object->type == HWLOC_OBJ_PCI_DEVICE && object->subtype != nullptr &&
         std::string_view(object->subtype) == "NVSwitch";
}

// What hwloc counts for one link, in MB/s (hwloc/topology-nvml.c): until 2.12 both directions of
// those of Ampere.
double link_mbps(hwloc_topology_t topology, int sm) {
  constexpr double kPascal = 20000, kVolta = 25000, kBothWays = 50000, kBlackwell = 50000;
  constexpr int kVoltaSm = 70, kAmpereSm = 80, kHopperSm = 90, kBlackwellSm = 100;
  constexpr std::int64_t kOneWaySince = 12;  // hwloc 2.12
  if (sm >= kBlackwellSm) return kBlackwell;
  if (sm > 0 && sm < kVoltaSm) return kPascal;
  if (sm < kAmpereSm || sm >= kHopperSm) return kVolta;
  const char* const told = hwloc_obj_get_info_by_name(hwloc_get_root_obj(topology), "hwlocVersion");
  const std::string_view version = told != nullptr ? told : "";
  constexpr std::string_view kMajor = "2.";
  if (!version.starts_with(kMajor)) return kBothWays;
  const auto rest = version.substr(kMajor.size());
  const auto minor = parse_integer("version", rest.substr(0, rest.find('.')));
  return minor && *minor >= kOneWaySince ? kVolta : kBothWays;
}

NvLink link_to(hwloc_obj_t target, int count) {
  NvLink link{.count = count};
  const auto id = bus_id_of_object(target);
  link.target = id ? text_of(*id) : "fffffff:ffff:ff";  // as NCCL words what has no place
  link.tclass = is_switch(target) ? kSwitch : id ? kDisplay : kProcessor;
  return link;
}

// The links of the GPU at `from`; nothing where a bandwidth is that of no number of links. Where
// there are switches all links go to them, and what hwloc says between GPUs follows from that.
std::optional<std::vector<NvLink>> links_of(const NvlinkMatrix& matrix, std::size_t from,
                                            double one_mbps) {
  constexpr int kMax = 18;
  constexpr double kTolerance = 0.01;
  const auto objects = matrix.objects();
  const bool switched = std::ranges::any_of(objects, is_switch);
  std::vector<NvLink> links;
  for (std::size_t to = 0; to < objects.size(); ++to) {
    const bool counts = to != from && objects[to] != nullptr && matrix.mbps(from, to) > 0;
    if (!counts || (switched && !is_switch(objects[to]))) continue;
    const double number = static_cast<double>(matrix.mbps(from, to)) / one_mbps;
    if (number > kMax || std::abs(number - std::round(number)) > kTolerance) return std::nullopt;
    links.push_back(link_to(objects[to], static_cast<int>(std::round(number))));
  }
  const int all = std::transform_reduce(links.begin(), links.end(), 0, std::plus<>(),
                                        [](const NvLink& link) { return link.count; });
  return all <= kMax ? std::optional(links) : std::nullopt;
}

FoundPci* gpu_at(std::vector<FoundPci>& devices, hwloc_obj_t object) {
  const auto id = object != nullptr ? bus_id_of_object(object) : std::nullopt;
  const auto found = std::ranges::find_if(devices, [&](const FoundPci& one) {
    return id && one.device.gpu && one.device.bus_id == *id;
  });
  return found == devices.end() ? nullptr : &*found;
}

}  // namespace

void add_nvlinks(hwloc_topology* topology, std::vector<FoundPci>& devices,
                 std::vector<std::string>& unseen) {
  const auto has_gpu = [](const FoundPci& one) { return one.device.gpu.has_value(); };
  if (std::ranges::none_of(devices, has_gpu)) return;
  const NvlinkMatrix matrix(topology);
  if (matrix.empty())
    unseen.emplace_back(
        "No NVLinks: hwloc tells them only where it was built with NVIDIA's library.");
  const auto objects = matrix.objects();
  for (std::size_t n = 0; n < objects.size(); ++n) {
    auto* const found = gpu_at(devices, objects[n]);
    if (found == nullptr) continue;
    auto& gpu = *found->device.gpu;
    if (auto links = links_of(matrix, n, link_mbps(topology, gpu.sm)))
      gpu.nvlinks = std::move(*links);
    else
      unseen.push_back(fmt::format(
          "No NVLinks of {}: the bandwidths that hwloc tells are those of no number of links.",
          text_of(found->device.bus_id)));
  }
}

}  // namespace linerate::topo
