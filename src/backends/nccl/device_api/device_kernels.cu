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

// Loads of a thread on their way at once: eight as in nccl-tests; fewer where their sums in float
// take so many registers that some would be spilled, and at the ends of a buffer, which are short.
constexpr int kInFlight = 8, kInFlightOfWideSums = 6, kInFlightAtEnds = 2;
template <typename T, typename Unit>
inline constexpr int in_flight = sizeof(T) == 2 && sizeof(Unit) > sizeof(T) ? kInFlightOfWideSums
                                                                            : kInFlight;

// The sum of what ranks have in one Unit of elements T.
template <typename T, typename Unit>
class Sum {
 public:
  __device__ void begin(const Unit& unit) { unit_ = unit; }
  __device__ void add(const Unit& unit) {
    T sums[kElements], more[kElements];
    std::memcpy(sums, &unit_, sizeof unit_);
    std::memcpy(more, &unit, sizeof unit);
    for (int e = 0; e < kElements; ++e) sums[e] = static_cast<T>(sums[e] + more[e]);
    std::memcpy(&unit_, sums, sizeof unit_);
  }
  __device__ Unit total() const { return unit_; }

 private:
  static constexpr int kElements = sizeof(Unit) / sizeof(T);
  Unit unit_;
};

// Floats of 16 bits are added up in float, and rounded once.
template <typename T, typename Unit>
class WideSum {
 public:
  __device__ void begin(const Unit& unit) {
    for_each(unit, [](float& sum, float value) { sum = value; });
  }
  __device__ void add(const Unit& unit) {
    for_each(unit, [](float& sum, float value) { sum += value; });
  }
  __device__ Unit total() const {
    T elements[kElements];
    for (int e = 0; e < kElements; ++e) elements[e] = static_cast<T>(sums_[e]);
    Unit unit;
    std::memcpy(&unit, elements, sizeof unit);
    return unit;
  }

 private:
  static constexpr int kElements = sizeof(Unit) / sizeof(T);

  template <typename Body>
  __device__ void for_each(const Unit& unit, const Body& body) {
    T elements[kElements];
    std::memcpy(elements, &unit, sizeof unit);
    for (int e = 0; e < kElements; ++e) body(sums_[e], static_cast<float>(elements[e]));
  }

  float sums_[kElements];
};

template <typename Unit>
class Sum<__half, Unit> : public WideSum<__half, Unit> {};
template <typename Unit>
class Sum<__nv_bfloat16, Unit> : public WideSum<__nv_bfloat16, Unit> {};

// Sixteen bytes: four at once, so that they need no more registers than others.
template <>
class Sum<std::uint8_t, uint4> {
 public:
  __device__ void begin(const uint4& unit) { unit_ = unit; }
  __device__ void add(const uint4& unit) {
    unit_ = {__vadd4(unit_.x, unit.x), __vadd4(unit_.y, unit.y), __vadd4(unit_.z, unit.z),
             __vadd4(unit_.w, unit.w)};
  }
  __device__ uint4 total() const { return unit_; }

 private:
  uint4 unit_;
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

// A part of all ranks' windows. LSA memory is flat: neighbours are equally far from each other.
template <typename Unit>
class PeerUnits {
 public:
  __device__ PeerUnits(ncclWindow_t window, std::size_t offset)
      : first_(static_cast<char*>(ncclGetLsaPointer(window, offset, 0))),
        stride_(static_cast<char*>(ncclGetLsaPointer(window, offset, 1)) - first_) {}

  __device__ Unit* of(int peer) const { return reinterpret_cast<Unit*>(first_ + peer * stride_); }

 private:
  char* first_;
  std::ptrdiff_t stride_;
};

// Some of a thread's indices of [0, n): `kCount` from `first` on, each `stride` after the other.
// kWhole: all of them are below n.
template <int kCount, bool kWhole>
struct Step {
  std::size_t first, stride, n;

  // Calls body(u, at) for each of them, the `u`th of the step.
  template <typename Body>
  __device__ void each(const Body& body) const {
#pragma unroll
    for (int u = 0; u < kCount; ++u) {
      const std::size_t at = first + u * stride;
      if (kWhole || at < n) body(u, at);
    }
  }
};

// Calls body(step) for all of a thread's indices of [0, n).
template <int kCount = kInFlight, typename Body>
__device__ void in_steps(const Share& share, std::size_t n, const Body& body) {
  const std::size_t last = (kCount - 1) * share.stride;
  std::size_t i = share.first;
  for (; i + last < n; i += kCount * share.stride) body(Step<kCount, true>{i, share.stride, n});
  if (i < n) body(Step<kCount, false>{i, share.stride, n});
}

// One thread of one rank has each index, reads it from all ranks and then writes it to all: in
// place nobody reads what another has written.
__device__ Share own_share(const ncclDevComm& comm) {
  return share_of({static_cast<std::size_t>(comm.lsaRank), static_cast<std::size_t>(comm.lsaSize),
                   blockIdx.x, gridDim.x, threadIdx.x, blockDim.x});
}

// Among the threads of this rank alone.
__device__ Share share_within_rank() {
  return share_of({0, 1, blockIdx.x, gridDim.x, threadIdx.x, blockDim.x});
}

// Sums [begin, begin + n * sizeof(Unit)) of the buffers, in bytes.
template <typename T, typename Unit, int kCount = in_flight<T, Unit>>
__device__ void sum_by_lsa(const DeviceCall& call, const ncclDevComm& comm, std::size_t begin,
                           std::size_t n) {
  const PeerUnits<Unit> from(call.send, call.send_offset + begin);
  const PeerUnits<Unit> to(call.recv, call.recv_offset + begin);
  in_steps<kCount>(own_share(comm), n, [&](const auto& step) {
    Unit units[kCount];
    Sum<T, Unit> sums[kCount];
    const auto load = [&](const Unit* source) {
      step.each([&](int u, std::size_t at) { units[u] = source[at]; });
    };
    load(from.of(comm.lsaRank));
    step.each([&](int u, std::size_t) { sums[u].begin(units[u]); });
    for (int k = 1; k < comm.lsaSize; ++k) {
      load(from.of(peer_at(comm, k)));
      step.each([&](int u, std::size_t) { sums[u].add(units[u]); });
    }
    for (int k = 0; k < comm.lsaSize; ++k) {
      Unit* const target = to.of(peer_at(comm, k));
      step.each([&](int u, std::size_t at) { target[at] = sums[u].total(); });
    }
  });
}

// The same through NVLink SHARP: the switch adds on the way in, and copies on the way out.
template <typename T, typename Unit>
__device__ void sum_by_multimem(const DeviceCall& call, const ncclDevComm& comm, std::size_t begin,
                                std::size_t n) {
  const auto* const from = static_cast<const Unit*>(
      ncclGetLsaMultimemPointer(call.send, call.send_offset + begin, comm));
  auto* const to =
      static_cast<Unit*>(ncclGetLsaMultimemPointer(call.recv, call.recv_offset + begin, comm));
  in_steps(own_share(comm), n, [&](const auto& step) {
    Unit sums[kInFlight];
    step.each([&](int u, std::size_t at) { sums[u] = multimem_sum<T>(from + at); });
    step.each([&](int u, std::size_t at) { multimem_store(to + at, sums[u]); });
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
      sum_by_lsa<T, T, kInFlightAtEnds>(call, comm, 0, parts.lead / sizeof(T));
      sum_by_lsa<T, T, kInFlightAtEnds>(call, comm, parts.rest, (bytes - parts.rest) / sizeof(T));
    }
  });
}

// Each rank writes its blocks to where they belong.
template <typename Unit>
__device__ void write_blocks(const DeviceCall& call, const ncclDevComm& comm, std::size_t n) {
  const std::size_t block = n * sizeof(Unit);
  const PeerUnits<Unit> blocks(call.recv, call.recv_offset + comm.lsaRank * block);
  for (int k = 0; k < comm.lsaSize; ++k) {
    const int peer = peer_at(comm, k);
    const auto* const from =
        static_cast<const Unit*>(ncclGetLocalPointer(call.send, call.send_offset + peer * block));
    Unit* const to = blocks.of(peer);
    in_steps(share_within_rank(), n, [&](const auto& step) {
      Unit units[kInFlight];
      step.each([&](int u, std::size_t at) { units[u] = from[at]; });
      step.each([&](int u, std::size_t at) { to[at] = units[u]; });
    });
  }
}

// In place two ranks exchange their blocks for each other, each of them a half: one thread of one
// rank reads and writes each pair of elements.
template <typename Unit>
__device__ void exchange_blocks(const DeviceCall& call, const ncclDevComm& comm, std::size_t n) {
  const std::size_t block = n * sizeof(Unit);
  const PeerUnits<Unit> blocks(call.recv, call.recv_offset + comm.lsaRank * block);
  for (int k = 1; k < comm.lsaSize; ++k) {
    const int peer = peer_at(comm, k);
    const std::size_t half = n / 2;
    const std::size_t begin = comm.lsaRank < peer ? 0 : half;
    const std::size_t count = comm.lsaRank < peer ? half : n - half;
    auto* const mine =
        begin + static_cast<Unit*>(ncclGetLocalPointer(call.recv, call.recv_offset + peer * block));
    auto* const theirs = begin + blocks.of(peer);
    in_steps(share_within_rank(), count, [&](const auto& step) {
      Unit out[kInFlight], in[kInFlight];
      step.each([&](int u, std::size_t at) { in[u] = theirs[at]; });
      step.each([&](int u, std::size_t at) { out[u] = mine[at]; });
      step.each([&](int u, std::size_t at) { mine[at] = in[u]; });
      step.each([&](int u, std::size_t at) { theirs[at] = out[u]; });
    });
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
