#include "backends/nccl/nccl_communicator.h"

#include "backends/nccl/calls.h"
#include "backends/nccl/comm_config.h"
#include "backends/nccl/endpoint.h"
#include "backends/nccl/profiler/entry_points.h"
#include "backends/nccl/registration.h"
#include "base/units.h"
#include "devices/cuda/cuda_error.h"
#include "devices/cuda/cuda_stream.h"

#include <fmt/format.h>

namespace linerate::nccl {
namespace {

// Of a GPU on which a call has failed, so that the question may fail too.
std::string free_text(const Device& device) {
  try {
    return about_bytes_text(device.free_bytes());
  } catch (const Error&) {
    return "an unknown amount";
  }
}

// What NCCL has no kernels for. A single rank's avg and mulsum fail in all versions up to 2.30:
// their case of 8-bit floats in onerank.cu is compiled for the GPU alone, and the host looks for
// it.
std::string float8_refusal(const Op& op, const NcclApi& api, const NcclCommunicator::Place& place) {
  constexpr int kHasFloat8 = NCCL_VERSION(2, 24, 0), kMovesItAnywhere = NCCL_VERSION(2, 28, 0);
  constexpr int kHopper = 90;
  const bool moves = op.kind == OpKind::all_gather || op.kind == OpKind::broadcast;
  const bool needs_hopper = is_reduction(op.kind) || (moves && api.version < kMovesItAnywhere);
  const bool scales = op.op == RedOp::avg || op.op == RedOp::mulsum;
  if (auto sentence = version_refusal(api, kHasFloat8, name_of(op.type)); !sentence.empty())
    return sentence;
  if (needs_hopper && place.least_sm < kHopper)
    return fmt::format(
        "NCCL {} has {} of {} on GPUs of sm_90 (Hopper) and newer only, and one "
        "here is sm_{}: give another -d.",
        version_text(api.version), name_of(op.kind), name_of(op.type), place.least_sm);
  if (is_reduction(op.kind) && place.nranks == 1 && scales)
    return fmt::format("NCCL has no {} of {} for a single rank: give another -o, or more ranks.",
                       name_of(op.op), name_of(op.type));
  return {};
}

}  // namespace

NcclCommunicator::NcclCommunicator(const Libraries& libraries, Device& device,
                                   std::shared_ptr<Endpoint> endpoint, const Place& place,
                                   Bootstrap* bootstrap)
    : libraries_(libraries),
      device_(device),
      endpoint_(std::move(endpoint)),
      place_(place),
      bootstrap_(bootstrap) {
  if (libraries.device.number > 0)
    device_side_ = std::make_unique<DeviceSide>(endpoint_, libraries.device);
}

void NcclCommunicator::begin(Stream& stream) {
  begin_call();
  if (endpoint_->stopped()) endpoint_->throw_if_failed();
  const auto& shared = static_cast<cuda::CudaStream&>(stream).shared();
  if (stream_ != shared) [[unlikely]]
    go_on_with(shared);
}

void NcclCommunicator::go_on_with(const std::shared_ptr<cuda::SharedStream>& stream) {
  if (stream_) stream_->come_before(*stream);
  stream->attend(endpoint_);
  stream_ = stream;
}

void NcclCommunicator::start(const Op& op, const Stream& stream) {
  if (observation_) observation_->expect(op.send, op.recv);
  const Target target{*endpoint_, static_cast<const cuda::CudaStream&>(stream).get(), rank(),
                      nranks()};
  if (is_device_side(op.kind)) return device_side_->enqueue(op, target, libraries_.cuda);
  nccl::enqueue(op, target);
}

void NcclCommunicator::enqueue(const Op& op, Stream& stream) {
  begin(stream);
  if (!needs_current(op)) return start(op, stream);
  const cuda::DeviceGuard guard(libraries_.cuda, device_.index());
  start(op, stream);
}

void NcclCommunicator::enqueue_batch(std::span<const Op> ops, Stream& stream) {
  begin(stream);
  const cuda::DeviceGuard guard(libraries_.cuda, device_.index());
  NcclGroup group(libraries_.nccl, *endpoint_);
  group.start();
  for (const Op& op : ops) start(op, stream);
  group.end();
}

std::string NcclCommunicator::refusal(const Op& op) const {
  if (is_device_side(op.kind)) return device_kernel_refusal(op, libraries_.device.number);
  return is_float8(op.type) ? float8_refusal(op, libraries_.nccl, place_) : std::string();
}

void NcclCommunicator::observe(bool on) {
  if (observation_) last_call_ = observation_->facts();
  observation_.reset();
  if (!on) return;
  observation_ = std::make_unique<profiler::Observation>(profiler::call_recorder(), rank());
}

Buffer NcclCommunicator::allocate(std::size_t bytes, MemoryKind kind) {
  const NcclApi& api = libraries_.nccl;
  const bool on_gpu = kind == MemoryKind::device || kind == MemoryKind::registered;
  if (!on_gpu || bytes == 0 || api.mem_alloc == nullptr) return device_.allocate(bytes, kind);
  const cuda::DeviceGuard guard(libraries_.cuda, device_.index());
  void* memory = nullptr;
  if (const ncclResult_t code = api.mem_alloc(&memory, bytes); code != ncclSuccess)
    endpoint_->check(code, fmt::format("ncclMemAlloc of {} with {} free", bytes_text(bytes),
                                       free_text(device_)));
  return {{static_cast<std::byte*>(memory), bytes}, kind, [&api](View view) {
            (void)api.mem_free(view.data());
          }};
}

std::unique_ptr<Registration> NcclCommunicator::register_buffer(const Buffer& buffer,
                                                                RegistrationKind kind) {
  const cuda::DeviceGuard guard(libraries_.cuda, device_.index());
  auto registration = make_registration(endpoint_, libraries_.cuda, buffer, kind);
  if (device_side_ && kind == RegistrationKind::symmetric) device_side_->create();
  return registration;
}

std::unique_ptr<Communicator> NcclCommunicator::split(int color, int key) {
  ncclComm_t part = nullptr;
  begin_split(color, key, part);
  return end_split(part);
}

void NcclCommunicator::begin_split(int color, int key, ncclComm_t& part) {
  const cuda::DeviceGuard guard(libraries_.cuda, device_.index());
  endpoint_->check(
      libraries_.nccl.comm_split(endpoint_->comm(), color < 0 ? NCCL_SPLIT_NOCOLOR : color, key,
                                 &part, nullptr),
      "ncclCommSplit");
}

std::unique_ptr<Communicator> NcclCommunicator::end_split(ncclComm_t part) {
  const NcclApi& api = libraries_.nccl;
  if (part == nullptr) return nullptr;
  auto endpoint = std::make_shared<Endpoint>(api, part, endpoint_->who());
  Place place{.shares_thread = place_.shares_thread, .least_sm = place_.least_sm};
  endpoint->check(api.comm_user_rank(part, &place.rank), "ncclCommUserRank");
  endpoint->check(api.comm_count(part, &place.nranks), "ncclCommCount");
  return std::make_unique<NcclCommunicator>(libraries_, device_, std::move(endpoint), place,
                                            nullptr);
}

void NcclCommunicator::barrier() {
  begin_call();
  endpoint_->throw_if_failed();
  if (bootstrap_ != nullptr) return bootstrap_->barrier(Deadline::never());
  meet_on_gpus();
}

void NcclCommunicator::meet_on_gpus() {
  const cuda::DeviceGuard guard(libraries_.cuda, device_.index());
  if (!meeting_stream_) {
    meeting_word_ = device_.allocate(sizeof(float), MemoryKind::device);
    meeting_stream_ = device_.stream();
    static_cast<cuda::CudaStream&>(*meeting_stream_).shared()->attend(endpoint_);
  }
  const Op op{.kind = OpKind::all_reduce,
              .send = meeting_word_.view(),
              .recv = meeting_word_.view(),
              .count = 1};
  nccl::enqueue(
      op, {*endpoint_, static_cast<cuda::CudaStream&>(*meeting_stream_).get(), rank(), nranks()});
  meeting_stream_->synchronize(Deadline::never());
}

std::optional<Error> NcclCommunicator::async_error() {
  if (auto error = endpoint_->async_error()) return Error(*error);
  return std::nullopt;
}

}  // namespace linerate::nccl
