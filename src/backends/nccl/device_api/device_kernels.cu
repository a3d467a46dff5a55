// Each kernel meets the same CTA of all ranks before it touches a peer's memory, and again before
// it ends.
#include "backends/nccl/device_api/device_kernels.h"

#include <nccl.h>  // brings __half and __nv_bfloat16

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace linerate::nccl {
namespace {

// Loads that add and stores that copy over all GPUs of a multicast address (PTX ISA 8.1, sm_90):
// whether multimem_sum<T>() takes a Unit of such elements.
template <typename T, typename Unit>
inline constexpr bool has_multimem_sum =
    std::is_same_v<T, Unit>
        ? (sizeof(T) >= 4)
        : std::is_same_v<T, float> || std::is_same_v<T, __half> || std::is_same_v<T, __nv_bfloat16>;

// What all GPUs have at `at`, added up. GPUs before sm_90 never get here: NCCL gives them no
// multicast address.
template <typename T>
__device__ T multimem_sum(const T* at) {
  T sum{};
#if __CUDA_ARCH__ >= 900
  if constexpr (std::is_same_v<T, float>)
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f32 %0, [%1];"
                 : "=f"(sum)
                 : "l"(at)
                 : "memory");
  else if constexpr (std::is_same_v<T, double>)
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.f64 %0, [%1];"
                 : "=d"(sum)
                 : "l"(at)
                 : "memory");
  else if constexpr (sizeof(T) == 8)
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.u64 %0, [%1];"
                 : "=l"(sum)
                 : "l"(at)
                 : "memory");
  else
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.u32 %0, [%1];"
                 : "=r"(sum)
                 : "l"(at)
                 : "memory");
#else
  __trap();
#endif
  return sum;
}

// The same of 16 bytes of elements T; two bytes wide ones are added in float.
template <typename T>
__device__ uint4 multimem_sum(const uint4* at) {
  uint4 sum{};
#if __CUDA_ARCH__ >= 900
  if constexpr (std::is_same_v<T, float>)
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.v4.f32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(sum.x), "=r"(sum.y), "=r"(sum.z), "=r"(sum.w)
                 : "l"(at)
                 : "memory");
  else if constexpr (std::is_same_v<T, __half>)
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.f16x2 {%0,%1,%2,%3}, [%4];"
                 : "=r"(sum.x), "=r"(sum.y), "=r"(sum.z), "=r"(sum.w)
                 : "l"(at)
                 : "memory");
  else
    asm volatile("multimem.ld_reduce.relaxed.sys.global.add.acc::f32.v4.bf16x2 {%0,%1,%2,%3}, [%4];"
                 : "=r"(sum.x), "=r"(sum.y), "=r"(sum.z), "=r"(sum.w)
                 : "l"(at)
                 : "memory");
#else
  __trap();
#endif
  return sum;
}

// Writes `value` to `at` of all GPUs.
template <typename Unit>
__device__ void multimem_store(Unit* at, const Unit& value) {
#if __CUDA_ARCH__ >= 900
  if constexpr (std::is_same_v<Unit, uint4>)
    asm volatile("multimem.st.relaxed.sys.global.v4.f32 [%0], {%1,%2,%3,%4};" ::"l"(at),
                 "r"(value.x), "r"(value.y), "r"(value.z), "r"(value.w)
                 : "memory");
  else if constexpr (std::is_same_v<Unit, float>)
    asm volatile("multimem.st.relaxed.sys.global.f32 [%0], %1;" ::"l"(at), "f"(value) : "memory");
  else if constexpr (std::is_same_v<Unit, double>)
    asm volatile("multimem.st.relaxed.sys.global.f64 [%0], %1;" ::"l"(at), "d"(value) : "memory");
  else if constexpr (sizeof(Unit) == 8)
    asm volatile("multimem.st.relaxed.sys.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
  else
    asm volatile("multimem.st.relaxed.sys.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
#else
  __trap();
#endif
}

constexpr unsigned kThreads = 512;  // of a CTA, as in nccl-tests

// What sums are kept in.
template <typename T>
struct Wide {
  using Type = T;
};
template <>
struct Wide<__half> {
  using Type = float;
};
template <>
struct Wide<__nv_bfloat16> {
  using Type = float;
};

// The first barrier: all send buffers are filled, and nobody reads the recv buffers any more. The
// second: all that peers have written is here, and they have read all that they need from here.
template <typename Work>
__device__ void among_peers(const ncclDevComm& comm, const Work& work) {
  ncclLsaBarrierSession<ncclCoopCta> barrier(ncclCoopCta(), comm, ncclTeamTagLsa(), blockIdx.x);
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
  work();
  barrier.sync(ncclCoopCta(), cuda::memory_order_acq_rel);
}

// The `k`th peer as seen from this rank, itself first: not all ranks read from one at once.
__device__ int peer_at(const ncclDevComm& comm, int k) {
  const int peer = comm.lsaRank + k;
  return peer < comm.lsaSize ? peer : peer - comm.lsaSize;
}

// Calls body(i) for this thread's share of [0, n). One thread of one rank has each i, reads it from
// all ranks and then writes it to all: in place nobody reads what another has written.
template <typename Body>
__device__ void for_own_share(const ncclDevComm& comm, std::size_t n, const Body& body) {
  const Share share =
      share_of({static_cast<std::size_t>(comm.lsaRank), static_cast<std::size_t>(comm.lsaSize),
                blockIdx.x, gridDim.x, threadIdx.x, blockDim.x});
  for (std::size_t i = share.first; i < n; i += share.stride) body(i);
}

// The sum over all ranks of the elements of type T in one Unit.
template <typename T, typename Unit>
__device__ Unit sum_of_peers(const DeviceCall& call, const ncclDevComm& comm, std::size_t offset) {
  constexpr std::size_t kElements = sizeof(Unit) / sizeof(T);
  using W = typename Wide<T>::Type;
  W sums[kElements];
  T elements[kElements];
#pragma unroll 4
  for (int k = 0; k < comm.lsaSize; ++k) {
    const void* const from = ncclGetLsaPointer(call.send, offset, peer_at(comm, k));
    const Unit unit = *static_cast<const Unit*>(from);
    std::memcpy(elements, &unit, sizeof unit);
    for (std::size_t e = 0; e < kElements; ++e) {
      const W value = static_cast<W>(elements[e]);
      sums[e] = k == 0 ? value : static_cast<W>(sums[e] + value);
    }
  }
  for (std::size_t e = 0; e < kElements; ++e) elements[e] = static_cast<T>(sums[e]);
  Unit total;
  std::memcpy(&total, elements, sizeof total);
  return total;
}

// Sums [begin, begin + n * sizeof(Unit)) of the buffers, in bytes.
template <typename T, typename Unit>
__device__ void sum_by_lsa(const DeviceCall& call, const ncclDevComm& comm, std::size_t begin,
                           std::size_t n) {
  for_own_share(comm, n, [&](std::size_t i) {
    const std::size_t at = begin + i * sizeof(Unit);
    const Unit total = sum_of_peers<T, Unit>(call, comm, call.send_offset + at);
    for (int k = 0; k < comm.lsaSize; ++k)
      *static_cast<Unit*>(ncclGetLsaPointer(call.recv, call.recv_offset + at, peer_at(comm, k))) =
          total;
  });
}

// The same through NVLink SHARP: the switch adds on the way in, and copies on the way out.
template <typename T, typename Unit>
__device__ void sum_by_multimem(const DeviceCall& call, const ncclDevComm& comm, std::size_t begin,
                                std::size_t n) {
  const void* const from = ncclGetLsaMultimemPointer(call.send, call.send_offset + begin, comm);
  void* const to = ncclGetLsaMultimemPointer(call.recv, call.recv_offset + begin, comm);
  for_own_share(comm, n, [&](std::size_t i) {
    multimem_store(static_cast<Unit*>(to) + i, multimem_sum<T>(static_cast<const Unit*>(from) + i));
  });
}

template <typename T, typename Unit, bool kMultimem>
__global__ void __launch_bounds__(kThreads, 1)
    all_reduce_kernel(const __grid_constant__ DeviceCall call,
                      const __grid_constant__ ncclDevComm comm) {
  const std::size_t bytes = call.count * sizeof(T);
  const Parts parts = parts_of(call.send_offset, call.recv_offset, bytes, sizeof(Unit));
  among_peers(comm, [&] {
    if constexpr (kMultimem)
      sum_by_multimem<T, Unit>(call, comm, parts.lead, parts.units);
    else
      sum_by_lsa<T, Unit>(call, comm, parts.lead, parts.units);
    if constexpr (sizeof(Unit) > sizeof(T)) {
      sum_by_lsa<T, T>(call, comm, 0, parts.lead / sizeof(T));
      sum_by_lsa<T, T>(call, comm, parts.rest, (bytes - parts.rest) / sizeof(T));
    }
  });
}

// Each rank writes its blocks to where they belong.
template <typename Unit>
__device__ void write_blocks(const DeviceCall& call, const ncclDevComm& comm, std::size_t units) {
  const std::size_t block = units * sizeof(Unit);
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (int k = 0; k < comm.lsaSize; ++k) {
    const int peer = peer_at(comm, k);
    const Unit* const __restrict__ from =
        static_cast<const Unit*>(ncclGetLocalPointer(call.send, call.send_offset + peer * block));
    Unit* const __restrict__ to = static_cast<Unit*>(
        ncclGetLsaPointer(call.recv, call.recv_offset + comm.lsaRank * block, peer));
#pragma unroll 4
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < units; i += stride)
      to[i] = from[i];
  }
}

// In place two ranks exchange their blocks for each other, each of them a half: one thread of one
// rank reads and writes each pair of elements.
template <typename Unit>
__device__ void exchange_blocks(const DeviceCall& call, const ncclDevComm& comm,
                                std::size_t units) {
  const std::size_t block = units * sizeof(Unit);
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (int k = 1; k < comm.lsaSize; ++k) {
    const int peer = peer_at(comm, k);
    auto* const mine =
        static_cast<Unit*>(ncclGetLocalPointer(call.recv, call.recv_offset + peer * block));
    auto* const theirs = static_cast<Unit*>(
        ncclGetLsaPointer(call.recv, call.recv_offset + comm.lsaRank * block, peer));
    const std::size_t half = units / 2;
    const std::size_t begin = comm.lsaRank < peer ? 0 : half;
    const std::size_t end = comm.lsaRank < peer ? half : units;
    for (std::size_t i = begin + std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < end;
         i += stride) {
      const Unit out = mine[i];
      mine[i] = theirs[i];
      theirs[i] = out;
    }
  }
}

template <typename Unit>
__global__ void __launch_bounds__(kThreads, 1)
    all_to_all_kernel(const __grid_constant__ DeviceCall call,
                      const __grid_constant__ ncclDevComm comm, std::size_t units) {
  const bool in_place = call.send == call.recv && call.send_offset == call.recv_offset;
  among_peers(comm, [&] {
    if (in_place)
      exchange_blocks<Unit>(call, comm, units);
    else
      write_blocks<Unit>(call, comm, units);
  });
}

template <typename T, typename Unit, bool kMultimem>
cudaError_t launch_all_reduce(const ncclDevComm& comm, const DeviceCall& call) {
  all_reduce_kernel<T, Unit, kMultimem>
      <<<static_cast<unsigned>(call.ctas), kThreads, 0, call.stream>>>(call, comm);
  return cudaGetLastError();
}

template <typename T>
cudaError_t all_reduce_of(const ncclDevComm& comm, const DeviceCall& call) {
  if (call.implementation == 1) return launch_all_reduce<T, T, false>(comm, call);
  if (call.implementation == 2) return launch_all_reduce<T, uint4, false>(comm, call);
  if constexpr (has_multimem_sum<T, T>)
    if (call.implementation == 3) return launch_all_reduce<T, T, true>(comm, call);
  if constexpr (has_multimem_sum<T, uint4>)
    if (call.implementation == 4) return launch_all_reduce<T, uint4, true>(comm, call);
  return cudaErrorNotSupported;
}

// Sums wrap around: those of signed integers are the bits of those of unsigned ones.
cudaError_t all_reduce(const ncclDevComm& comm, const DeviceCall& call) {
  switch (call.type) {
    case DataType::int8:
    case DataType::uint8:
      return all_reduce_of<std::uint8_t>(comm, call);
    case DataType::int32:
    case DataType::uint32:
      return all_reduce_of<std::uint32_t>(comm, call);
    case DataType::int64:
    case DataType::uint64:
      return all_reduce_of<std::uint64_t>(comm, call);
    case DataType::float16:
      return all_reduce_of<__half>(comm, call);
    case DataType::float32:
      return all_reduce_of<float>(comm, call);
    case DataType::float64:
      return all_reduce_of<double>(comm, call);
    case DataType::bfloat16:
      return all_reduce_of<__nv_bfloat16>(comm, call);
    case DataType::f8e4m3:
    case DataType::f8e5m2:
      return cudaErrorNotSupported;
  }
  return cudaErrorInvalidValue;
}

template <typename Unit>
cudaError_t all_to_all_in(const ncclDevComm& comm, const DeviceCall& call, std::size_t block) {
  all_to_all_kernel<Unit><<<static_cast<unsigned>(call.ctas), kThreads, 0, call.stream>>>(
      call, comm, block / sizeof(Unit));
  return cudaGetLastError();
}

// Vectorised where every block starts and ends at a whole vector.
cudaError_t all_to_all(const ncclDevComm& comm, const DeviceCall& call) {
  if (call.implementation > 2) return cudaErrorNotSupported;
  const std::size_t width = bytes_of(call.type);
  const std::size_t block = call.count * width;
  const bool fits = (block | call.send_offset | call.recv_offset) % sizeof(uint4) == 0;
  if (call.implementation == 2 && fits) return all_to_all_in<uint4>(comm, call, block);
  if (width == 8) return all_to_all_in<std::uint64_t>(comm, call, block);
  if (width == 4) return all_to_all_in<std::uint32_t>(comm, call, block);
  if (width == 2) return all_to_all_in<std::uint16_t>(comm, call, block);
  return all_to_all_in<std::uint8_t>(comm, call, block);
}

}  // namespace

const DeviceKernels& gpu_device_kernels() {
  static constexpr DeviceKernels kKernels{.all_reduce = all_reduce, .all_to_all = all_to_all};
  return kKernels;
}

}  // namespace linerate::nccl
