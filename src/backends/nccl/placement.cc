#include "backends/nccl/placement.h"

#include "base/wire.h"
#include "devices/cuda/cuda_error.h"

#include <fmt/format.h>

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <tuple>

namespace linerate::nccl {
namespace {

constexpr std::size_t kMaxListed = 16;

std::string map_text(std::span<const GpuOfRank> gpus) {
  std::string text;
  for (const GpuOfRank& gpu : gpus.first(std::min(gpus.size(), kMaxListed)))
    text += fmt::format("{}rank {}: {} GPU {} [{}]", text.empty() ? "" : ", ", gpu.rank,
                        gpu.hostname, gpu.index, gpu.bus_id);
  return gpus.size() > kMaxListed ? text + ", …" : text;
}

constexpr int kSharesGpus = NCCL_VERSION(2, 30, 0);
constexpr int kKeep = 0;  // what the user has set stays

// NCCL takes processes of equal identity for one node: it keeps a hash of the text only. Hostname
// and pid may be the same in two containers.
std::string own_identity() {
  char hostname[256] = {};
  (void)gethostname(hostname, sizeof hostname - 1);
  std::random_device source;
  const auto high = std::uint64_t{source()} << 32;
  return fmt::format("{}-{}-{:016x}", hostname, getpid(), high | source());
}

}  // namespace

std::vector<GpuOfRank> gather_gpus(Bootstrap& bootstrap, std::span<Device* const> local,
                                   const cuda::CudaApi& cuda, const Deadline& deadline) {
  WireWriter mine;
  mine.put_text(bootstrap.place().hostname).put_text(bootstrap.place().identity);
  mine.put(static_cast<int>(getpid()));
  for (const Device* device : local) {
    mine.put(device->index());
    mine.put(cuda::compute_capability(cuda, device->index()));
    mine.put_text(device->bus_id());
  }
  std::vector<GpuOfRank> gpus;
  for (const Bytes& bytes : bootstrap.all_gather(mine.bytes(), deadline)) {
    WireReader in(bytes);
    const auto hostname = in.get_text();
    const auto node = in.get_text();
    const int pid = in.get<int>();
    for (std::size_t i = 0; i < local.size(); ++i) {
      const int index = in.get<int>();
      const int sm = in.get<int>();
      gpus.push_back({.rank = static_cast<int>(gpus.size()),
                      .hostname = hostname,
                      .node = node,
                      .bus_id = in.get_text(),
                      .index = index,
                      .pid = pid,
                      .sm = sm});
    }
  }
  return gpus;
}

std::string sharing_refusal(std::span<const GpuOfRank> gpus, Sharing allowed) {
  if (allowed == Sharing::all) return {};
  std::map<std::tuple<std::string, std::string, int>, int> owners;
  for (const GpuOfRank& gpu : gpus) {
    const int process = allowed == Sharing::processes ? gpu.pid : 0;
    const auto [other, fresh] = owners.try_emplace({gpu.node, gpu.bus_id, process}, gpu.rank);
    if (fresh) continue;
    const auto clash = fmt::format("Ranks {} and {} have the same GPU, {} GPU {} [{}]",
                                   other->second, gpu.rank, gpu.hostname, gpu.index, gpu.bus_id);
    if (allowed == Sharing::processes)
      return fmt::format(
          "{}, in one process: with NCCL before 2.30 --oversubscribe wants a process "
          "for each rank, as with --nprocs and -t 1 -g 1 ({}).",
          clash, map_text(gpus));
    return fmt::format(
        "{}, and NCCL wants one for each ({}). Start fewer ranks on that host, see what "
        "CUDA_VISIBLE_DEVICES and NCCL_TESTS_DEVICE choose, or try what works at all with "
        "--oversubscribe.",
        clash, map_text(gpus));
  }
  return {};
}

Sharing sharing_of(const NcclApi& api, const GpuOptions& options) {
  if (!options.oversubscribe) return Sharing::none;
  return api.version >= kSharesGpus ? Sharing::all : Sharing::processes;
}

void allow_sharing(const NcclApi& api, const GpuOptions& options) {
  if (!options.oversubscribe) return;
  if (api.version >= kSharesGpus) {
    (void)setenv("NCCL_MULTI_RANK_GPU_ENABLE", "1", kKeep);
    return;
  }
  (void)setenv("NCCL_HOSTID", own_identity().c_str(), kKeep);
}

}  // namespace linerate::nccl
