// See fake_device_api.h.
#include "support/gpu/fake_device_api.h"

#include "support/gpu/fake_faults.h"
#include "support/gpu/fake_log.h"
#include "support/gpu/fake_nccl.h"
#include "support/gpu/fake_profiler.h"
#include "support/gpu/fake_stream.h"
#include "support/gpu/fake_world.h"

#include <cstdint>
#include <utility>

namespace linerate::nccl {
namespace {

using fake::Call;

// What a handle of a window stands for, in the GPU's memory, and in the host's where it is no
// window; one that is never deregistered leaks.
struct FakeWindow {
  std::byte* memory;
  std::size_t bytes;
};

FakeWindow& window_of(ncclWindow_t handle) { return *reinterpret_cast<FakeWindow*>(handle); }

ncclResult_t register_window(ncclComm_t, void* memory, std::size_t bytes, ncclWindow_t* window,
                             int) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (address % NCCL_WIN_REQUIRED_ALIGNMENT != 0) return ncclInvalidArgument;
  const bool off = switched_off("NCCL_CUMEM_ENABLE") || switched_off("NCCL_WIN_ENABLE");
  const int version = fake::library_version();
  const bool pretends = version < NCCL_VERSION(2, 28, 0) ? !switched_off("NCCL_CUMEM_ENABLE")
                                                         : version < NCCL_VERSION(2, 29, 0);
  if (off && !pretends) return ncclSuccess;  // `window` stays what it was
  void* const handle = off ? ::operator new(sizeof(FakeWindow))
                           : cuda::allocate_fake(cuda::fake_device_of(memory), sizeof(FakeWindow),
                                                 alignof(FakeWindow));
  *window = reinterpret_cast<ncclWindow_t>(new (handle)
                                               FakeWindow{static_cast<std::byte*>(memory), bytes});
  return ncclSuccess;
}

ncclResult_t deregister_window(ncclComm_t comm, ncclWindow_t window) {
  log_fake_call(fake::with_state("ncclCommWindowDeregister", *fake::member_of(comm)));
  if (window == nullptr) return ncclInvalidArgument;
  if (cuda::fake_device_of(window) >= 0)
    cuda::free_fake(window);
  else
    ::operator delete(window);
  return ncclSuccess;
}

// All ranks reach each other. The resource window is a byte that leaks unless it is destroyed, and
// the table of windows stands for the host's communicator.
ncclResult_t create(ncclComm_t comm, const ncclDevCommRequirements* wanted, ncclDevComm* made) {
  const auto member = fake::member_of(comm);
  *made = {};
  made->rank = made->lsaRank = member->rank();
  made->nRanks = made->lsaSize = member->nranks();
  made->lsaBarrier.nBarriers = wanted->lsaBarrierCount;
  made->windowTable = reinterpret_cast<ncclDevCommWindowTable*>(comm);
  made->resourceWindow = reinterpret_cast<ncclWindow_t>(new char());
  if (wanted->lsaMultimem) made->lsaMultimem.mcBasePtr = made->resourceWindow;
  return ncclSuccess;
}

ncclResult_t destroy(ncclComm_t, const ncclDevComm* comm) {
  log_fake_call("ncclDevCommDestroy");
  if (comm->resourceWindow == nullptr) return ncclInvalidArgument;
  delete reinterpret_cast<char*>(comm->resourceWindow);
  return ncclSuccess;
}

// The address that the kernel would begin at; null outside of the window.
std::byte* address_in(ncclWindow_t handle, std::size_t offset) {
  const auto& window = window_of(handle);
  return offset <= window.bytes ? window.memory + offset : nullptr;
}

template <OpKind kKind>
cudaError_t launch(const ncclDevComm& comm, const DeviceCall& call) {
  const bool multimem = kKind == OpKind::all_reduce && call.implementation >= 3;
  if (call.ctas > comm.lsaBarrier.nBarriers) return cudaErrorInvalidConfiguration;
  if (multimem && comm.lsaMultimem.mcBasePtr == nullptr) return cudaErrorInvalidValue;
  Call made{.kind = kKind,
            .send = address_in(call.send, call.send_offset),
            .recv = address_in(call.recv, call.recv_offset),
            .count = call.count,
            .type = call.type,
            .op = RedOp::sum};
  if (made.send == nullptr || made.recv == nullptr) return cudaErrorIllegalAddress;
  const auto member = fake::member_of(reinterpret_cast<ncclComm_t>(comm.windowTable));
  cuda::fake_stream(call.stream).enqueue([member, made]() -> cuda::FakeTask {
    return [member, own = made, posted = false]() mutable {
      if (!std::exchange(posted, true)) member->post(own);
      return member->is_over(own);
    };
  });
  return cudaSuccess;
}

}  // namespace

void set_fake_windows(NcclApi& api) {
  api.comm_window_register = register_window;
  api.comm_window_deregister = deregister_window;
}

void set_fake_device_api(NcclApi& api) {
  api.dev_comm_create = create;
  api.dev_comm_destroy = destroy;
}

const DeviceKernels& device_kernels_on_host() {
  static constexpr DeviceKernels kKernels{.all_reduce = launch<OpKind::all_reduce>,
                                          .all_to_all = launch<OpKind::all_to_all>};
  return kKernels;
}

}  // namespace linerate::nccl
