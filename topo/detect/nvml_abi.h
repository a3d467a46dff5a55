// What we use of NVIDIA's management library: layouts and numbers of its C interface, declared
// here so that no CUDA toolkit is needed to build. They are the same in every driver since 450
// (docs.nvidia.com/deploy/nvml-api; NCCL declares its own likewise, src/include/nvmlwrap.h).
#pragma once

namespace linerate::topo::nvml {

using Device = struct DeviceHandle*;  // the library's own
using Status = int;                   // nvmlReturn_t

inline constexpr Status kSuccess = 0;
inline constexpr Status kNotSupported = 3;

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
inline constexpr int kLinkValid = 5;     // NVML_NVLINK_CAP_VALID

// NVML_FI_DEV_…
inline constexpr unsigned kNvlinkGetState = 165;
inline constexpr unsigned kC2cLinkCount = 170;
inline constexpr unsigned kC2cLinkStatus = 171;
inline constexpr unsigned kC2cLinkMaxBandwidth = 172;  // MB/s

}  // namespace linerate::topo::nvml
