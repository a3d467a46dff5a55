// See fake_nvml.h: the entry points of libnvidia-ml.so that linerate calls.
#include "support/nvml/fake_nvml.h"

#include "topo/detect/nvml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace {

using linerate::topo::FakeGpu;
using linerate::topo::FakeLink;
using linerate::topo::nvml::Device;
using linerate::topo::nvml::Event;
using linerate::topo::nvml::EventSet;
using linerate::topo::nvml::FieldValue;
using linerate::topo::nvml::PciInfo;
using linerate::topo::nvml::Status;
using linerate::topo::nvml::Utilization;

constexpr Status kOk = 0, kInvalid = 2, kUnsupported = 3, kNotFound = 6, kTimeout = 10, kLost = 15;

const FakeGpu& gpu(Device device) { return *reinterpret_cast<const FakeGpu*>(device); }

const FakeLink* link_of(Device device, unsigned link) {
  const auto& links = gpu(device).links;
  return link < links.size() ? &links[link] : nullptr;
}

Status copy(std::string_view from, char* to, std::size_t size) {
  if (from.size() + 1 > size) return 7;  // NVML_ERROR_INSUFFICIENT_SIZE
  *std::copy(from.begin(), from.end(), to) = '\0';
  return kOk;
}

template <typename T>
Status healthy(Device device, T FakeGpu::*member, T* value) {
  if (gpu(device).lost) return kLost;
  *value = gpu(device).*member;
  return kOk;
}

Status answer(const FakeGpu& asked, FieldValue& value) {
  const auto link = value.scope;
  if (value.field == 165 && link < asked.links.size())
    value.value.whole = asked.links[link].up ? 1 : 0;
  else if (value.field == 170)
    value.value.whole = asked.c2c_links;
  else if (value.field == 171 && link < asked.c2c_links)
    value.value.whole = link < asked.c2c_down ? 0 : 1;
  else if (value.field == 172 && link < asked.c2c_links)
    value.value.whole = asked.c2c_mbps;
  else
    return kUnsupported;
  return kOk;
}

}  // namespace

extern "C" {

linerate::topo::FakeNvml* fake_nvml() {
  static linerate::topo::FakeNvml table;
  return &table;
}

Status nvmlInit_v2() {
  fake_nvml()->running += fake_nvml()->init_status == kOk ? 1 : 0;
  return fake_nvml()->init_status;
}

Status nvmlShutdown() {
  --fake_nvml()->running;
  return kOk;
}

const char* nvmlErrorString(Status status) {
  switch (status) {
    case 3:
      return "Not Supported";
    case 9:
      return "Driver Not Loaded";
    case 15:
      return "GPU is lost";
    default:
      return "Unknown Error";
  }
}

Status nvmlSystemGetDriverVersion(char* text, unsigned size) {
  return copy(fake_nvml()->driver, text, size);
}

Status nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(fake_nvml()->gpus.size());
  return fake_nvml()->count_status;
}

Status nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  if (index >= fake_nvml()->gpus.size()) return kNotFound;
  *device = reinterpret_cast<Device>(&fake_nvml()->gpus[index]);
  return kOk;
}

Status nvmlDeviceGetName(Device device, char* text, unsigned size) {
  return copy(gpu(device).name, text, size);
}

Status nvmlDeviceGetPciInfo_v3(Device device, PciInfo* info) {
  const auto& asked = gpu(device);
  if (asked.status != kOk) return asked.status;
  info->domain = asked.domain;
  info->bus = asked.bus;
  info->device = asked.device;
  const auto place = fmt::format("{:02X}:{:02X}.0", asked.bus, asked.device);
  (void)copy(fmt::format("{:04X}:{}", asked.domain, place), info->short_bus_id, 16);
  return copy(fmt::format("{:08X}:{}", asked.domain, place), info->bus_id, 32);
}

Status nvmlDeviceGetCudaComputeCapability(Device device, int* major, int* minor) {
  *major = gpu(device).sm / 10;
  *minor = gpu(device).sm % 10;
  return kOk;
}

Status nvmlDeviceGetCurrPcieLinkGeneration(Device device, unsigned* value) {
  *value = gpu(device).generation;
  return kOk;
}

Status nvmlDeviceGetCurrPcieLinkWidth(Device device, unsigned* value) {
  *value = gpu(device).width;
  return kOk;
}

Status nvmlDeviceGetMaxPcieLinkGeneration(Device device, unsigned* value) {
  *value = gpu(device).max_generation;
  return kOk;
}

Status nvmlDeviceGetMaxPcieLinkWidth(Device device, unsigned* value) {
  *value = gpu(device).max_width;
  return kOk;
}

Status nvmlDeviceGetNvLinkCapability(Device device, unsigned link, int capability,
                                     unsigned* value) {
  const auto* const asked = link_of(device, link);
  if (asked == nullptr || capability != 0) return kInvalid;
  *value = asked->peer_to_peer ? 1 : 0;
  return kOk;
}

Status nvmlDeviceGetNvLinkState(Device device, unsigned link, int* state) {
  const auto* const asked = link_of(device, link);
  if (asked == nullptr) return kInvalid;
  *state = asked->up ? 1 : 0;
  return kOk;
}

Status nvmlDeviceGetNvLinkRemotePciInfo_v2(Device device, unsigned link, PciInfo* info) {
  const auto* const asked = link_of(device, link);
  return asked == nullptr ? kInvalid : copy(asked->remote, info->short_bus_id, 16);
}

Status nvmlDeviceGetFieldValues(Device device, int count, FieldValue* values) {
  if (!fake_nvml()->fields) return kUnsupported;
  for (int n = 0; n < count; ++n) values[n].status = answer(gpu(device), values[n]);
  return kOk;
}

Status nvmlDeviceGetTemperature(Device device, int, unsigned* value) {
  return healthy(device, &FakeGpu::temperature, value);
}

Status nvmlDeviceGetTemperatureThreshold(Device device, int which, unsigned* value) {
  return which == 1 ? healthy(device, &FakeGpu::slowdown_temperature, value) : kInvalid;
}

Status nvmlDeviceGetClockInfo(Device device, int which, unsigned* value) {
  return which == 1 ? healthy(device, &FakeGpu::clock, value) : kInvalid;
}

Status nvmlDeviceGetMaxClockInfo(Device device, int which, unsigned* value) {
  return which == 1 ? healthy(device, &FakeGpu::max_clock, value) : kInvalid;
}

Status nvmlDeviceGetCurrentClocksThrottleReasons(Device device, unsigned long long* value) {
  return healthy(device, &FakeGpu::slowdowns, value);
}

Status nvmlDeviceGetUtilizationRates(Device device, Utilization* value) {
  return healthy(device, &FakeGpu::utilization, &value->gpu);
}

Status nvmlDeviceGetTotalEccErrors(Device device, int type, int which, unsigned long long* value) {
  if (!gpu(device).ecc) return kUnsupported;
  if (which != 0) return kInvalid;
  return healthy(device, type == 0 ? &FakeGpu::ecc_corrected : &FakeGpu::ecc_uncorrected, value);
}

Status nvmlDeviceGetPcieReplayCounter(Device device, unsigned* value) {
  return healthy(device, &FakeGpu::pcie_replays, value);
}

Status nvmlEventSetCreate(EventSet* set) {
  *set = reinterpret_cast<EventSet>(fake_nvml());
  return kOk;
}

Status nvmlDeviceRegisterEvents(Device, unsigned long long types, EventSet) {
  if (types != 8) return kInvalid;
  return fake_nvml()->events ? kOk : kUnsupported;
}

Status nvmlEventSetWait_v2(EventSet, Event* event, unsigned) {
  for (auto& one : fake_nvml()->gpus) {
    if (one.xids.empty()) continue;
    *event = {reinterpret_cast<Device>(&one), 8, one.xids.back(), 0, 0};
    one.xids.pop_back();
    return kOk;
  }
  return kTimeout;
}

Status nvmlEventSetFree(EventSet) { return kOk; }

}  // extern "C"
