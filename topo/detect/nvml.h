// GPUs as NVIDIA's driver describes them, with their NVLinks and C2C links, merged into a system.
// Asks NVIDIA's management library, loaded at run time.
#pragma once

#include "base/handle.h"
#include "base/result.h"
#include "topo/detect/pci_tree.h"
#include "topo/system/system.h"

#include <dlfcn.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace linerate::topo::nvml {

// What we use of NVIDIA's management library: layouts and numbers of its C interface, declared
// here so that no CUDA toolkit is needed to build. They are the same in every driver since 450
// (docs.nvidia.com/deploy/nvml-api; NCCL declares its own likewise, src/include/nvmlwrap.h).

using Device = struct DeviceHandle*;  // the library's own
using Status = int;                   // nvmlReturn_t

inline constexpr Status kSuccess = 0;

// nvmlPciInfo_t of the functions ending in _v3 and nvmlDeviceGetNvLinkRemotePciInfo_v2.
struct PciInfo {
  char short_bus_id[16];  // "0000:3B:00.0"
  unsigned domain, bus, device;
  unsigned device_and_vendor;  // the device above the vendor, 16 bits each
  unsigned subsystem;
  char bus_id[32];  // "00000000:3B:00.0"
};
static_assert(sizeof(PciInfo) == 68);

// nvmlFieldValue_t.
struct FieldValue {
  unsigned field;
  unsigned scope;  // the link asked about
  long long timestamp, latency_us;
  int type;  // of the value
  Status status;
  union {
    double real;
    unsigned whole;
    unsigned long long wide;
  } value;
};
static_assert(sizeof(FieldValue) == 40);

inline constexpr int kP2pSupported = 0;  // NVML_NVLINK_CAP_P2P_SUPPORTED

// nvmlUtilization_t: percent of the last second or so.
struct Utilization {
  unsigned gpu, memory;
};

// nvmlEventData_t.
struct Event {
  Device device;
  unsigned long long type, data;  // of an Xid: its number
  unsigned gpu_instance, compute_instance;
};
static_assert(sizeof(Event) == 32);

using EventSet = struct EventSetHandle*;         // the library's own
inline constexpr unsigned long long kXid = 8;    // nvmlEventTypeXidCriticalError
inline constexpr int kSmClock = 1;               // NVML_CLOCK_SM
inline constexpr int kGpuSensor = 0;             // NVML_TEMPERATURE_GPU
inline constexpr int kSlowdownTemperature = 1;   // NVML_TEMPERATURE_THRESHOLD_SLOWDOWN
inline constexpr int kSinceDriverWasLoaded = 0;  // NVML_VOLATILE_ECC

// NVML_FI_DEV_…
inline constexpr unsigned kNvlinkGetState = 165;
inline constexpr unsigned kC2cLinkCount = 170;
inline constexpr unsigned kC2cLinkStatus = 171;
inline constexpr unsigned kC2cLinkMaxBandwidth = 172;  // MB/s

// The functions that we call; those that an older library lacks are null, and optional.
struct Functions {
  Status (*init)() = nullptr;
  Status (*shutdown)() = nullptr;
  const char* (*error_string)(Status) = nullptr;
  Status (*driver_version)(char*, unsigned) = nullptr;
  Status (*device_count)(unsigned*) = nullptr;
  Status (*device_by_index)(unsigned, Device*) = nullptr;
  Status (*name)(Device, char*, unsigned) = nullptr;
  Status (*pci_info)(Device, PciInfo*) = nullptr;
  Status (*compute_capability)(Device, int*, int*) = nullptr;
  Status (*pcie_generation)(Device, unsigned*) = nullptr;  // optional, as those below
  Status (*pcie_width)(Device, unsigned*) = nullptr;
  Status (*max_pcie_generation)(Device, unsigned*) = nullptr;
  Status (*max_pcie_width)(Device, unsigned*) = nullptr;
  Status (*link_capability)(Device, unsigned, int, unsigned*) = nullptr;
  Status (*link_state)(Device, unsigned, int*) = nullptr;
  Status (*link_remote)(Device, unsigned, PciInfo*) = nullptr;
  Status (*field_values)(Device, int, FieldValue*) = nullptr;
  Status (*temperature)(Device, int, unsigned*) = nullptr;
  Status (*temperature_limit)(Device, int, unsigned*) = nullptr;
  Status (*clock)(Device, int, unsigned*) = nullptr;
  Status (*max_clock)(Device, int, unsigned*) = nullptr;
  Status (*slowdowns)(Device, unsigned long long*) = nullptr;
  Status (*utilization)(Device, Utilization*) = nullptr;
  Status (*ecc_errors)(Device, int, int, unsigned long long*) = nullptr;
  Status (*pcie_replays)(Device, unsigned*) = nullptr;
  Status (*make_event_set)(EventSet*) = nullptr;
  Status (*register_events)(Device, unsigned long long, EventSet) = nullptr;
  Status (*next_event)(EventSet, Event*, unsigned) = nullptr;
  Status (*free_event_set)(EventSet) = nullptr;
};

// The library, initialised; shut down with its owner.
class Library {
 public:
  // `file` as dlopen takes it. Refuses, in a sentence, a library that is not there, lacks a
  // function or does not start.
  static Result<std::unique_ptr<Library>> open(const std::string& file);
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const Functions& call() const { return functions_; }
  // "Driver Not Loaded", in the library's own words.
  std::string text_of(Status status) const;

 private:
  using Opened = Handle<void, dlclose>;
  Library(Opened opened, const Functions& functions)
      : opened_(std::move(opened)), functions_(functions) {}
  Opened opened_;
  Functions functions_;
};

}  // namespace linerate::topo::nvml

namespace linerate::topo {

// What the driver does not tell is as in an empty Gpu or PciLink. Classes of NVLinks' targets are
// left to who knows the bus.
struct NvmlGpu {
  BusId bus_id{};
  Gpu gpu{};
  PciLink link{}, max_link{};
};

struct NvmlView {
  std::string driver{};  // "580.95.05"
  std::vector<NvmlGpu> gpus{};
};

// Asks for all GPUs; those that do not answer go to `unseen`, a sentence each. NVLinks are counted
// as NCCL counts them (src/graph/xml.cc): peer to peer, up, and with a known far end.
NvmlView nvml_view(const nvml::Library& library, std::vector<std::string>& unseen);

// Asks the library `file`, completes the GPUs among `devices` and adds those that the bus hides.
// Yields the driver's version; empty where there is none, and `unseen` tells why.
std::string merge_nvml(const std::string& file, std::vector<FoundPci>& devices,
                       std::vector<std::string>& unseen);

// What is missing where no driver is asked; nothing where there is no GPU of NVIDIA's.
void report_missing_nvml(const std::vector<FoundPci>& devices, std::vector<std::string>& unseen);

}  // namespace linerate::topo
