// See fake_nccl.h.
#include "support/gpu/fake_nccl.h"

#include "support/gpu/fake_cuda.h"
#include "support/gpu/fake_device_api.h"
#include "support/gpu/fake_faults.h"
#include "support/gpu/fake_log.h"
#include "support/gpu/fake_memory.h"
#include "support/gpu/fake_profiler.h"
#include "support/gpu/fake_stream.h"
#include "support/gpu/fake_tuner.h"
#include "support/gpu/fake_world.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace linerate::nccl {
namespace {

using fake::Call;
using fake::Member;

using SharedMember = std::shared_ptr<Member>;

// A communicator is a place in this list. One that is aborted keeps it: its owner may be within a
// call.
class Comms {
 public:
  ncclComm_t add(SharedMember member) {
    const std::lock_guard lock(mutex_);
    if (!member) return nullptr;
    return reinterpret_cast<ncclComm_t>(&members_.emplace_back(std::move(member)));
  }
  void remove(ncclComm_t comm) {
    const std::lock_guard lock(mutex_);
    std::erase_if(members_, [&](const auto& member) {
      return &member == reinterpret_cast<SharedMember*>(comm);
    });
  }
  // Whether a call of a rank on this GPU is on its way: freeing memory waits for it, as CUDA does.
  bool busy(int device) {
    const std::lock_guard lock(mutex_);
    return std::ranges::any_of(members_, [&](const SharedMember& member) {
      return member->device() == device && member->busy();
    });
  }

 private:
  std::mutex mutex_;
  std::list<SharedMember> members_;
};

Comms& comms() {
  static Comms all;
  return all;
}

const SharedMember& shared_member(ncclComm_t comm) {
  return *reinterpret_cast<SharedMember*>(comm);
}
Member& member_of(ncclComm_t comm) { return *shared_member(comm); }

// Calls of one stream that are posted together.
struct Batch {
  cudaStream_t stream;
  std::vector<std::pair<SharedMember, Call>> calls;
};

ncclComm_t begun(SharedMember member) {
  if (member) fake::profile_begin(*member);
  if (member) fake::tune_begin(*member);
  return comms().add(std::move(member));
}

struct Split {
  ncclComm_t comm;
  int color, key;
  ncclComm_t* part;
};

// The calls of a thread between group_start and group_end.
struct Grouped {
  int depth = 0;
  std::vector<Batch> batches;
  std::vector<Split> splits;
};
thread_local Grouped grouped;

bool has_fault(FakeFault::Kind kind, int rank, std::uint64_t call) {
  const auto fault = fake_fault();
  return fault.kind == kind && fault.rank == rank && call >= fault.call;
}

bool never_ends(const Member& member, std::uint64_t call) {
  return has_fault(FakeFault::Kind::call_hangs, member.rank(), call) ||
         has_fault(FakeFault::Kind::async_error, member.rank(), call);
}

// Posts all calls when the stream gets to them, then waits for each.
cuda::FakeTask task_of(const Batch& batch) {
  return [calls = batch.calls, posted = false]() mutable {
    if (!std::exchange(posted, true))
      for (auto& [member, call] : calls)
        if (member->begin_call(); !never_ends(*member, member->count_call())) member->post(call);
    std::erase_if(calls, [](const auto& entry) {
      if (!entry.first->is_over(entry.second)) return false;
      entry.first->end_call();
      return true;
    });
    return calls.empty();
  };
}

// Blocks until all ranks have said what they want, as NCCL does.
void run_splits() {
  const auto splits = std::exchange(grouped.splits, {});
  for (const auto& one : splits) member_of(one.comm).begin_split(one.color, one.key);
  for (const auto& one : splits)
    *one.part = begun(member_of(one.comm).end_split(one.color, one.key));
}

ncclResult_t run_all() {
  run_splits();
  for (const auto& batch : grouped.batches)
    for (const auto& [member, call] : batch.calls) {
      fake::profile(*member, call);
      fake::tune(*member, call);
    }
  for (const auto& batch : std::exchange(grouped.batches, {}))
    cuda::fake_stream(batch.stream).enqueue([batch] { return task_of(batch); });
  return ncclSuccess;
}

// As NCCL's: none before 2.24; before sm_90 no reductions, and before 2.28 messages alone; of one
// rank no reductions with a factor.
bool lacks_float8(const Member& member, const Call& call) {
  constexpr int kHopper = 90;
  const int version = fake::library_version();
  if (!is_float8(call.type)) return false;
  if (version < NCCL_VERSION(2, 24, 0)) return true;
  const bool message = call.kind == OpKind::send || call.kind == OpKind::recv;
  const bool anywhere = version < NCCL_VERSION(2, 28, 0) ? message : !is_reduction(call.kind);
  if (!anywhere && cuda::fake_sm(member.device()) < kHopper) return true;
  const bool scales = call.op == RedOp::avg || call.op == RedOp::mulsum;
  return is_reduction(call.kind) && member.nranks() == 1 && scales;
}

ncclResult_t add(ncclComm_t comm, const Call& call, cudaStream_t stream) {
  auto& member = member_of(comm);
  if (member.aborted()) return ncclInvalidUsage;
  if (lacks_float8(member, call)) return ncclInvalidArgument;
  if (has_fault(FakeFault::Kind::call_fails, member.rank(), member.calls() + 1))
    return ncclSystemError;
  auto at = std::ranges::find(grouped.batches, stream, &Batch::stream);
  if (at == grouped.batches.end()) at = grouped.batches.insert(at, {.stream = stream, .calls = {}});
  at->calls.emplace_back(shared_member(comm), call);
  return grouped.depth == 0 ? run_all() : ncclSuccess;
}

Call call_of(OpKind kind, const void* send, void* recv, std::size_t count, ncclDataType_t type) {
  return {.kind = kind,
          .send = static_cast<const std::byte*>(send),
          .recv = static_cast<std::byte*>(recv),
          .count = count,
          .type = static_cast<DataType>(type)};
}

template <OpKind kKind>
ncclResult_t reducing(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                      ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  Call call = call_of(kKind, send, recv, count, type);
  member_of(comm).resolve(op, call);
  return add(comm, call, stream);
}

template <OpKind kKind>
ncclResult_t rooted(const void* send, void* recv, std::size_t count, ncclDataType_t type, int root,
                    ncclComm_t comm, cudaStream_t stream) {
  Call call = call_of(kKind, send, recv, count, type);
  call.peer = root;
  return add(comm, call, stream);
}

template <OpKind kKind>
ncclResult_t moving(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                    ncclComm_t comm, cudaStream_t stream) {
  return add(comm, call_of(kKind, send, recv, count, type), stream);
}

ncclResult_t reduce(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                    ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  Call call = call_of(OpKind::reduce, send, recv, count, type);
  call.peer = root;
  member_of(comm).resolve(op, call);
  return add(comm, call, stream);
}

ncclResult_t send(const void* from, std::size_t count, ncclDataType_t type, int peer,
                  ncclComm_t comm, cudaStream_t stream) {
  Call call = call_of(OpKind::send, from, nullptr, count, type);
  call.peer = peer;
  log_fake_call("ncclSend " + std::to_string(member_of(comm).rank()) + ">" + std::to_string(peer));
  return add(comm, call, stream);
}

ncclResult_t recv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                  cudaStream_t stream) {
  Call call = call_of(OpKind::recv, nullptr, to, count, type);
  call.peer = peer;
  log_fake_call("ncclRecv " + std::to_string(peer) + ">" + std::to_string(member_of(comm).rank()));
  return add(comm, call, stream);
}

ncclResult_t get_unique_id(ncclUniqueId* id) {
  static std::atomic<std::uint64_t> next{1};
  const std::uint64_t number = next++;
  std::memcpy(id, &number, sizeof number);
  return ncclSuccess;
}

// As NCCL does with NCCL_DEBUG=INFO: more than a page on stdout, which this library buffers.
void tell_much() {
  const char* const level = std::getenv("NCCL_DEBUG");
  if (level == nullptr || std::string_view(level) != "INFO") return;
  constexpr int kLines = 100;
  for (int i = 0; i < kLines; ++i) std::printf("fake NCCL INFO %058d\n", i);
}

ncclResult_t init_rank(ncclComm_t* comm, int nranks, ncclUniqueId id, int rank, ncclConfig_t*) {
  std::uint64_t number = 0;
  std::memcpy(&number, &id, sizeof number);
  if (has_fault(FakeFault::Kind::init_fails, rank, 1)) return ncclSystemError;
  tell_much();
  while (has_fault(FakeFault::Kind::init_hangs, rank, 1)) std::this_thread::yield();
  auto member = fake::join(number, rank, nranks);
  int device = 0;
  (void)cuda::fake_cuda().get_device(&device);
  member->set_device(device);
  *comm = begun(std::move(member));
  return ncclSuccess;
}

ncclResult_t split(ncclComm_t comm, int color, int key, ncclComm_t* part, ncclConfig_t*) {
  grouped.splits.push_back({.comm = comm, .color = color, .key = key, .part = part});
  return grouped.depth == 0 ? run_all() : ncclSuccess;
}

ncclResult_t create_premul(ncclRedOp_t* op, void* scalar, ncclDataType_t type,
                           ncclScalarResidence_t, ncclComm_t comm) {
  *op = member_of(comm).create_premul(scalar, static_cast<DataType>(type));
  return ncclSuccess;
}

void set_calls(NcclApi& api) {
  api.all_reduce = reducing<OpKind::all_reduce>;
  api.reduce_scatter = reducing<OpKind::reduce_scatter>;
  api.reduce = reduce;
  api.all_gather = moving<OpKind::all_gather>;
  api.broadcast = rooted<OpKind::broadcast>;
  api.send = send;
  api.recv = recv;
  api.group_start = [] {
    if (grouped.depth++ == 0) log_fake_call("ncclGroupStart");
    return ncclSuccess;
  };
  api.group_end = [] {
    if (--grouped.depth > 0) return ncclSuccess;
    log_fake_call("ncclGroupEnd");
    return run_all();
  };
  api.red_op_create_pre_mul_sum = create_premul;
  api.red_op_destroy = [](ncclRedOp_t, ncclComm_t) { return ncclSuccess; };
}

ncclResult_t allocate(void** memory, std::size_t bytes) {
  int device = 0;
  (void)cuda::fake_cuda().get_device(&device);
  *memory = cuda::allocate_fake(device, bytes, NCCL_WIN_REQUIRED_ALIGNMENT);
  return *memory == nullptr ? ncclSystemError : ncclSuccess;
}

// A registration is a byte of its own, so that one which is never ended leaks.
ncclResult_t add_registration(void** handle) {
  *handle = switched_off("NCCL_LOCAL_REGISTER") ? nullptr : new char();
  return ncclSuccess;
}
ncclResult_t end_registration(void* handle) {
  if (handle == nullptr) return ncclInvalidArgument;
  delete static_cast<char*>(handle);
  return ncclSuccess;
}

void set_memory(NcclApi& api) {
  api.mem_alloc = allocate;
  api.mem_free = [](void* memory) {
    while (comms().busy(cuda::fake_device_of(memory))) std::this_thread::yield();
    log_fake_call("ncclMemFree");
    cuda::free_fake(memory);
    return ncclSuccess;
  };
  api.comm_register = [](ncclComm_t, void*, std::size_t, void** handle) {
    return add_registration(handle);
  };
  api.comm_deregister = [](ncclComm_t comm, void* handle) {
    log_fake_call(fake::with_state("ncclCommDeregister", member_of(comm)));
    return end_registration(handle);
  };
}

}  // namespace

std::shared_ptr<Member> fake::member_of(ncclComm_t comm) { return shared_member(comm); }

std::string fake::with_state(const char* call, const Member& member) {
  return member.busy() ? std::string(call) + " while a call is on its way" : call;
}

NcclApi fake_nccl(int version) {
  fake::set_library_version(version);
  NcclApi api;
  api.version = version;
  api.get_error_string = [](ncclResult_t) { return "a fake error"; };
  api.get_last_error = [](ncclComm_t) { return "the fake's last words"; };
  api.get_unique_id = get_unique_id;
  api.comm_init_rank_config = init_rank;
  api.comm_destroy = [](ncclComm_t comm) {
    log_fake_call(fake::with_state("ncclCommDestroy", member_of(comm)));
    while (member_of(comm).busy()) std::this_thread::yield();
    fake::profile_end(member_of(comm));
    fake::tune_end(member_of(comm));
    comms().remove(comm);
    return ncclSuccess;
  };
  api.comm_abort = [](ncclComm_t comm) {
    log_fake_call("ncclCommAbort");
    member_of(comm).abort();
    fake::profile_end(member_of(comm));
    fake::tune_end(member_of(comm));
    return ncclSuccess;
  };
  api.comm_get_async_error = [](ncclComm_t comm, ncclResult_t* state) {
    auto& member = member_of(comm);
    const bool fails = has_fault(FakeFault::Kind::async_error, member.rank(), member.calls()) ||
                       has_fault(FakeFault::Kind::late_error, member.rank(), member.calls());
    *state = fails ? ncclRemoteError : ncclSuccess;
    return ncclSuccess;
  };
  api.comm_split = split;
  api.comm_user_rank = [](ncclComm_t comm, int* rank) {
    *rank = member_of(comm).rank();
    return ncclSuccess;
  };
  api.comm_count = [](ncclComm_t comm, int* count) {
    *count = member_of(comm).nranks();
    return ncclSuccess;
  };
  set_calls(api);
  if (version >= NCCL_VERSION(2, 19, 0)) set_memory(api);
  if (version >= NCCL_VERSION(2, 27, 0)) set_fake_windows(api);
  if (version < NCCL_VERSION(2, 28, 0)) return api;
  api.all_to_all = moving<OpKind::all_to_all>;
  api.gather = rooted<OpKind::gather>;
  api.scatter = rooted<OpKind::scatter>;
  set_fake_device_api(api);
  return api;
}

}  // namespace linerate::nccl
