// See fake_nccl.h.
#include "support/gpu/fake_nccl.h"

#include "support/gpu/fake_profiler.h"
#include "support/gpu/fake_world.h"

#include <atomic>
#include <cstring>
#include <map>

namespace linerate::nccl {
namespace {

using fake::Call;
using fake::Member;

Member& member_of(ncclComm_t comm) { return *reinterpret_cast<Member*>(comm); }
ncclComm_t comm_of(Member* member) { return reinterpret_cast<ncclComm_t>(member); }

ncclComm_t begun(Member* member) {
  if (member != nullptr) fake::profile_begin(*member);
  return comm_of(member);
}

// The calls of a thread between group_start and group_end.
struct Grouped {
  int depth = 0;
  std::vector<std::pair<Member*, Call>> calls;
};
thread_local Grouped grouped;

ncclResult_t run_all() {
  for (auto& [member, call] : grouped.calls) fake::profile(*member, call);
  for (auto& [member, call] : grouped.calls) member->post(call);
  ncclResult_t result = ncclSuccess;
  for (auto& [member, call] : grouped.calls)
    if (!member->wait(call)) result = ncclRemoteError;
  grouped.calls.clear();
  return result;
}

ncclResult_t add(ncclComm_t comm, const Call& call) {
  grouped.calls.emplace_back(&member_of(comm), call);
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
                      ncclRedOp_t op, ncclComm_t comm, cudaStream_t) {
  Call call = call_of(kKind, send, recv, count, type);
  member_of(comm).resolve(op, call);
  return add(comm, call);
}

template <OpKind kKind>
ncclResult_t rooted(const void* send, void* recv, std::size_t count, ncclDataType_t type, int root,
                    ncclComm_t comm, cudaStream_t) {
  Call call = call_of(kKind, send, recv, count, type);
  call.peer = root;
  return add(comm, call);
}

template <OpKind kKind>
ncclResult_t moving(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                    ncclComm_t comm, cudaStream_t) {
  return add(comm, call_of(kKind, send, recv, count, type));
}

ncclResult_t reduce(const void* send, void* recv, std::size_t count, ncclDataType_t type,
                    ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t) {
  Call call = call_of(OpKind::reduce, send, recv, count, type);
  call.peer = root;
  member_of(comm).resolve(op, call);
  return add(comm, call);
}

ncclResult_t send(const void* from, std::size_t count, ncclDataType_t type, int peer,
                  ncclComm_t comm, cudaStream_t) {
  Call call = call_of(OpKind::send, from, nullptr, count, type);
  call.peer = peer;
  return add(comm, call);
}

ncclResult_t recv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
                  cudaStream_t) {
  Call call = call_of(OpKind::recv, nullptr, to, count, type);
  call.peer = peer;
  return add(comm, call);
}

ncclResult_t get_unique_id(ncclUniqueId* id) {
  static std::atomic<std::uint64_t> next{1};
  const std::uint64_t number = next++;
  std::memcpy(id, &number, sizeof number);
  return ncclSuccess;
}

ncclResult_t init_rank(ncclComm_t* comm, int nranks, ncclUniqueId id, int rank, ncclConfig_t*) {
  std::uint64_t number = 0;
  std::memcpy(&number, &id, sizeof number);
  *comm = begun(fake::join(number, rank, nranks));
  return ncclSuccess;
}

ncclResult_t split(ncclComm_t comm, int color, int key, ncclComm_t* part, ncclConfig_t*) {
  *part = begun(member_of(comm).split(color, key));
  return ncclSuccess;
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
    ++grouped.depth;
    return ncclSuccess;
  };
  api.group_end = [] { return --grouped.depth == 0 ? run_all() : ncclSuccess; };
  api.red_op_create_pre_mul_sum = create_premul;
  api.red_op_destroy = [](ncclRedOp_t, ncclComm_t) { return ncclSuccess; };
}

}  // namespace

NcclApi fake_nccl(int version) {
  fake::set_library_version(version);
  NcclApi api;
  api.version = version;
  api.get_error_string = [](ncclResult_t) { return "a fake error"; };
  api.get_last_error = [](ncclComm_t) { return "the fake's last words"; };
  api.get_unique_id = get_unique_id;
  api.comm_init_rank_config = init_rank;
  api.comm_destroy = [](ncclComm_t comm) {
    fake::profile_end(member_of(comm));
    delete &member_of(comm);
    return ncclSuccess;
  };
  api.comm_abort = [](ncclComm_t comm) {
    member_of(comm).abort();
    return ncclSuccess;
  };
  api.comm_get_async_error = [](ncclComm_t, ncclResult_t* state) {
    *state = ncclSuccess;
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
  if (version < NCCL_VERSION(2, 28, 0)) return api;
  api.all_to_all = moving<OpKind::all_to_all>;
  api.gather = rooted<OpKind::gather>;
  api.scatter = rooted<OpKind::scatter>;
  return api;
}

}  // namespace linerate::nccl
