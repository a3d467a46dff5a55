// Calls by kernels of ours: which there are, what they are given, and what they need.
#include "backends/nccl/device_api/device_side.h"

#include "backends/nccl/nccl_backend.h"
#include "base/error.h"
#include "devices/cuda/cuda_error.h"
#include "support/gpu/fake_cuda.h"
#include "support/gpu/fake_nccl.h"
#include "support/spawn.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace linerate::nccl {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Setting {
  int number = 1;
  std::optional<int> ctas{};
  bool oversubscribe = false;
  DeviceKernels kernels = device_kernels_on_host();
  // Another ncclDevCommCreate than the fake's.
  decltype(NcclApi::dev_comm_create) create = nullptr;
};

// Kernels have no way to NCCL's own call: it is not there.
NcclApi library_for(const Setting& setting) {
  NcclApi api = fake_nccl(NCCL_VERSION_CODE);
  api.all_reduce = nullptr;
  api.all_to_all = nullptr;
  if (setting.create != nullptr) api.dev_comm_create = setting.create;
  return api;
}

// One of two ranks, with two registered buffers of 1 KiB.
struct DeviceSideRank {
  Communicator& comm;
  Buffer send, recv;
  Stream& stream;

  std::span<float> floats(const Buffer& buffer) const {
    return {reinterpret_cast<float*>(buffer.data()), buffer.bytes() / sizeof(float)};
  }
  Buffers buffers(std::size_t count) const {
    return {.send = send.view(), .recv = recv.view(), .count = count};
  }
};

void run_pair(const Setting& setting, const std::function<void(DeviceSideRank&)>& body) {
  constexpr std::size_t kBytes = 1024;
  const SteadyClock clock;
  const auto backend = make_nccl_backend(
      library_for(setting),
      {.api = cuda::fake_cuda(), .kernels = cuda::kernels_on_host(), .clock = clock},
      {.local_register = 2,
       .device_implementation = setting.number,
       .device_ctas = setting.ctas,
       .oversubscribe = setting.oversubscribe},
      {.kernels = setting.kernels});
  spawn(2, [&](Bootstrap& member) {
    const auto device = backend->open_device(member.rank());
    const auto stream = device->stream();
    Device* const local[] = {device.get()};
    const auto comms = backend->connect(member, local, {.deadline = Deadline::after(clock, 60)});
    Communicator& comm = *comms.front();
    DeviceSideRank rank{comm, comm.allocate(kBytes, MemoryKind::device),
                        comm.allocate(kBytes, MemoryKind::device), *stream};
    const auto send = comm.register_buffer(rank.send, RegistrationKind::symmetric);
    const auto recv = comm.register_buffer(rank.recv, RegistrationKind::symmetric);
    body(rank);
  });
}

std::string refusal_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Unavailable& error) {
    return error.what();
  }
  return {};
}

std::string refusal_of_library(int version) {
  return refusal_of([&] { require_device_api(fake_nccl(version), {.device_implementation = 1}); });
}

std::string refusal_in(const Setting& setting) {
  std::string sentence;
  run_pair(setting, [&](DeviceSideRank& rank) {
    const auto said = refusal_of([&] { rank.comm.all_reduce(rank.buffers(4), {}, rank.stream); });
    if (rank.comm.rank() == 0) sentence = said;
  });
  return sentence;
}

TEST(RequireDeviceApi, WantsTheHeadersMinorVersion) {
  EXPECT_THAT(refusal_of_library(NCCL_VERSION_CODE - 100), StartsWith("-D needs NCCL 2."));
  EXPECT_THAT(refusal_of_library(NCCL_VERSION_CODE + 100),
              HasSubstr("is " + version_text(NCCL_VERSION_CODE + 100)));
  EXPECT_EQ(refusal_of_library(NCCL_VERSION_CODE), "");
  EXPECT_EQ(refusal_of_library(NCCL_VERSION(NCCL_MAJOR, NCCL_MINOR, 0)), "");
}

TEST(DeviceKernelRefusal, NamesTheTypesThatAKernelSums) {
  const Op half{.type = DataType::float16}, tiny{.type = DataType::f8e4m3};

  EXPECT_EQ(device_kernel_refusal(half, 2), "");
  EXPECT_EQ(device_kernel_refusal(half, 4), "");
  EXPECT_EQ(device_kernel_refusal(half, 3),
            "-D 3 has no kernel for half: give -d one of int32, uint32, int64, uint64, float, "
            "double.");
  EXPECT_THAT(device_kernel_refusal(tiny, 1), HasSubstr("no kernel for f8e4m3"));
  EXPECT_THAT(device_kernel_refusal({.type = DataType::float64}, 4),
              HasSubstr("one of half, float, bfloat16."));
}

TEST(DeviceKernelRefusal, IsForAllOperatorsButTheSum) {
  EXPECT_THAT(device_kernel_refusal({.op = RedOp::max}, 1), HasSubstr("sums only, not for max"));
  EXPECT_EQ(device_kernel_refusal({.kind = OpKind::all_to_all, .type = DataType::f8e4m3}, 1), "");
}

TEST(DeviceSide, SumsByTheKernel) {
  for (const int number : {1, 2, 3, 4})
    run_pair({.number = number}, [](DeviceSideRank& rank) {
      std::ranges::fill(rank.floats(rank.send), static_cast<float>(rank.comm.rank() + 1));

      rank.comm.all_reduce(rank.buffers(64), {}, rank.stream);
      rank.stream.synchronize(Deadline::never());

      EXPECT_EQ(rank.floats(rank.recv)[63], 3.0F);
    });
}

TEST(DeviceSide, FindsBothBuffersInTheirWindows) {
  run_pair({}, [](DeviceSideRank& rank) {
    const auto sent = rank.floats(rank.send);
    sent[8] = static_cast<float>(10 * rank.comm.rank());
    sent[9] = sent[8] + 1;

    rank.comm.all_to_all({.send = rank.send.view(32, 8), .recv = rank.recv.view(16, 8), .count = 1},
                         rank.stream);
    rank.stream.synchronize(Deadline::never());

    const auto got = rank.floats(rank.recv).subspan(4);
    EXPECT_EQ(got[0], static_cast<float>(rank.comm.rank()));
    EXPECT_EQ(got[1], static_cast<float>(10 + rank.comm.rank()));
  });
}

TEST(DeviceSide, GivesTheKernelItsCtasAndABarrierForEach) {
  Setting eight{.ctas = 8};
  eight.kernels.all_reduce = [](const ncclDevComm& comm, const DeviceCall& call) {
    const bool right = call.ctas == 8 && comm.lsaBarrier.nBarriers == 8;
    return right ? cudaSuccess : cudaErrorInvalidConfiguration;
  };
  run_pair(eight, [](DeviceSideRank& rank) {
    EXPECT_NO_THROW(rank.comm.all_reduce(rank.buffers(4), {}, rank.stream));
  });
}

TEST(DeviceSide, TakesFewCtasWhereRanksShareAGpu) {
  Setting shared{.oversubscribe = true};
  shared.kernels.all_reduce = [](const ncclDevComm&, const DeviceCall& call) {
    return call.ctas == kMaxSharedCtas ? cudaSuccess : cudaErrorInvalidConfiguration;
  };
  run_pair(shared, [](DeviceSideRank& rank) {
    EXPECT_NO_THROW(rank.comm.all_reduce(rank.buffers(4), {}, rank.stream));
  });
}

TEST(DeviceSide, ThrowsWhatTheLaunchYields) {
  Setting broken;
  broken.kernels.all_reduce = [](const ncclDevComm&, const DeviceCall&) {
    return cudaErrorInvalidConfiguration;
  };
  run_pair(broken, [](DeviceSideRank& rank) {
    EXPECT_THROW(rank.comm.all_reduce(rank.buffers(4), {}, rank.stream), cuda::CudaError);
  });
}

TEST(DeviceSide, LeavesOtherCallsToNccl) {
  run_pair({}, [](DeviceSideRank& rank) {
    rank.floats(rank.send)[0] = 7.0F;

    rank.comm.broadcast(rank.buffers(1), 0, rank.stream);
    rank.stream.synchronize(Deadline::never());

    EXPECT_EQ(rank.floats(rank.recv)[0], 7.0F);
  });
}

TEST(DeviceSide, RefusesGpusThatDoNotReachEachOther) {
  const auto sentence = refusal_in(
      {.create = [](ncclComm_t comm, const ncclDevCommRequirements* wanted, ncclDevComm* made) {
        const auto code = fake_nccl(NCCL_VERSION_CODE).dev_comm_create(comm, wanted, made);
        made->lsaSize = 1;
        return code;
      }});

  EXPECT_THAT(sentence, HasSubstr("NCCL finds 1 of 2"));
}

TEST(DeviceSide, RefusesMultimemWithoutAMulticastAddress) {
  const auto sentence = refusal_in(
      {.number = 3,
       .create = [](ncclComm_t comm, const ncclDevCommRequirements* wanted, ncclDevComm* made) {
         const auto code = fake_nccl(NCCL_VERSION_CODE).dev_comm_create(comm, wanted, made);
         made->lsaMultimem = {};
         return code;
       }});

  EXPECT_THAT(sentence, StartsWith("-D 3 needs NVLink SHARP"));
}

TEST(DeviceSide, RefusesCommunicatorsWithoutSymmetricMemory) {
  const Setting setting{.number = 2,
                        .create = [](ncclComm_t, const ncclDevCommRequirements*, ncclDevComm*) {
                          return ncclInvalidUsage;
                        }};

  EXPECT_THAT(refusal_of([&] { run_pair(setting, [](DeviceSideRank&) {}); }),
              HasSubstr("-D 2 cannot run here, as on a communicator without symmetric memory: the "
                        "fake's last words. "));
}

TEST(DeviceSide, RefusesBuffersOutsideOfWindows) {
  run_pair({}, [](DeviceSideRank& rank) {
    const Buffer other = rank.comm.allocate(64, MemoryKind::device);
    const Buffers buffers{.send = other.view(), .recv = rank.recv.view(), .count = 4};

    EXPECT_THAT(refusal_of([&] { rank.comm.all_reduce(buffers, {}, rank.stream); }),
                HasSubstr("needs both buffers in symmetric windows"));
  });
}

TEST(DeviceSide, ForgetsABufferWhoseRegistrationHasEnded) {
  run_pair({}, [](DeviceSideRank& rank) {
    const Buffer other = rank.comm.allocate(64, MemoryKind::device);
    const Buffers buffers{.send = other.view(), .recv = rank.recv.view(), .count = 4};
    auto registration = rank.comm.register_buffer(other, RegistrationKind::symmetric);
    EXPECT_NO_THROW(rank.comm.all_reduce(buffers, {}, rank.stream));
    rank.stream.synchronize(Deadline::never());

    registration.reset();

    EXPECT_THAT(refusal_of([&] { rank.comm.all_reduce(buffers, {}, rank.stream); }),
                HasSubstr("needs both buffers in symmetric windows"));
  });
}

}  // namespace
}  // namespace linerate::nccl
