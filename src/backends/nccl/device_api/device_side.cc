#include "backends/nccl/device_api/device_side.h"

#include "base/error.h"
#include "devices/cuda/cuda_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace linerate::nccl {
namespace {

constexpr int kFirstMultimem = 3;

int minor_of(int version) { return version / 100; }  // 22809 -> 228

bool is_multimem(int number) { return number >= kFirstMultimem; }

// The switch adds single elements of 4 and 8 bytes, and vectors of floating-point ones.
bool sums_type(int number, DataType type) {
  if (is_float8(type)) return false;
  if (number < kFirstMultimem) return true;
  if (number == kFirstMultimem) return bytes_of(type) >= 4;
  return row_of(type).floating && bytes_of(type) <= 4;
}

std::vector<std::string_view> types_of(int number) {
  std::vector<std::string_view> names;
  for (const auto& row : kDataTypes)
    if (sums_type(number, row.type)) names.push_back(row.name);
  return names;
}

ncclDevCommRequirements requirements_of(const DeviceImplementation& implementation) {
#ifdef NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER  // from 2.29 on
  ncclDevCommRequirements requirements = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER;
#else
  ncclDevCommRequirements requirements{};
#endif
  requirements.lsaBarrierCount = implementation.ctas;
  requirements.lsaMultimem = is_multimem(implementation.number);
  return requirements;
}

}  // namespace

void require_device_api(const NcclApi& api, const GpuOptions& options) {
  if (options.device_implementation == 0) return;
  const bool agrees = minor_of(api.version) == minor_of(NCCL_VERSION_CODE);
  if (agrees && api.dev_comm_create != nullptr && api.dev_comm_destroy != nullptr) return;
  throw Unavailable(
      fmt::format("-D needs NCCL {}.{}, whose headers linerate was built with, and {} is {}: leave "
                  "it out, or name another library with --nccl-lib.",
                  NCCL_MAJOR, NCCL_MINOR, api.path.empty() ? "the loaded one" : api.path,
                  version_text(api.version)));
}

bool has_device_kernel(OpKind kind) {
  return kind == OpKind::all_reduce || kind == OpKind::all_to_all;
}

std::string device_kernel_refusal(const Op& op, int number) {
  if (op.kind == OpKind::all_to_all) return {};
  if (op.op != RedOp::sum)
    return fmt::format("-D {} has kernels for sums only, not for {}: give -o sum.", number,
                       name_of(op.op));
  if (!sums_type(number, op.type))
    return fmt::format("-D {} has no kernel for {}: give -d one of {}.", number, name_of(op.type),
                       fmt::join(types_of(number), ", "));
  return {};
}

DeviceSide::DeviceSide(std::shared_ptr<Endpoint> endpoint,
                       const DeviceImplementation& implementation)
    : endpoint_(std::move(endpoint)),
      implementation_(implementation),
      requirements_(requirements_of(implementation)) {}

DeviceSide::~DeviceSide() {
  const bool exists = created_ && comm_.nRanks > 0;  // not where its group failed
  if (exists && !endpoint_->aborted())
    (void)endpoint_->api().dev_comm_destroy(endpoint_->comm(), &comm_);
}

void DeviceSide::create() {
  if (created_) return;
  created_ = true;
  const auto code = endpoint_->api().dev_comm_create(endpoint_->comm(), &requirements_, &comm_);
  if (code == ncclInvalidUsage) {
    const auto words = endpoint_->last_words();
    throw Unavailable(
        fmt::format("{}: -D {} cannot run here, as on a communicator without symmetric memory{}{}. "
                    "NCCL_DEBUG=INFO tells why; another version of NCCL may take it (--nccl-lib).",
                    endpoint_->who(), implementation_.number, words.empty() ? "" : ": ", words));
  }
  endpoint_->check(code, "ncclDevCommCreate");
}

void DeviceSide::check_reach(int nranks) const {
  if (comm_.lsaSize != nranks)
    throw Unavailable(
        fmt::format("-D {} needs GPUs that all reach each other's memory, and NCCL finds {} of {} "
                    "that do: leave it out, or choose GPUs of one NVLink domain.",
                    implementation_.number, comm_.lsaSize, nranks));
  if (is_multimem(implementation_.number) && comm_.lsaMultimem.mcBasePtr == nullptr)
    throw Unavailable(
        fmt::format("-D {} needs NVLink SHARP (multicast), which these GPUs do not have: give -D "
                    "1 or -D 2.",
                    implementation_.number));
}

DeviceCall DeviceSide::call_of(const Op& op, const Target& target) const {
  const Extent extent = extent_of(op, target.rank, target.nranks);
  const auto send = endpoint_->windows().find(op.send.first(extent.send));
  const auto recv = endpoint_->windows().find(op.recv.first(extent.recv));
  if (send.window == nullptr || recv.window == nullptr)
    throw Unavailable(
        fmt::format("{}: -D {} needs both buffers in symmetric windows, and NCCL has made none; "
                    "NCCL_DEBUG=INFO tells why.",
                    endpoint_->who(), implementation_.number));
  return {.send = send.window,
          .send_offset = send.offset,
          .recv = recv.window,
          .recv_offset = recv.offset,
          .count = op.count,
          .type = op.type,
          .implementation = implementation_.number,
          .ctas = implementation_.ctas,
          .stream = target.stream};
}

void DeviceSide::enqueue(const Op& op, const Target& target, const cuda::CudaApi& cuda) {
  if (const auto refusal = device_kernel_refusal(op, implementation_.number); !refusal.empty())
    throw Unavailable(refusal);
  if (op.count == 0) return;
  check_reach(target.nranks);
  const DeviceCall call = call_of(op, target);
  const auto kernel = op.kind == OpKind::all_reduce ? implementation_.kernels.all_reduce
                                                    : implementation_.kernels.all_to_all;
  const cudaError_t code = kernel(comm_, call);
  if (code != cudaSuccess)
    cuda::check_cuda(cuda, code, fmt::format("{}: the kernel of -D", endpoint_->who()));
}

}  // namespace linerate::nccl
