// See placement.h.
#include "backends/nccl/placement.h"

#include "base/wire.h"

#include <fmt/format.h>

#include <map>
#include <utility>

namespace linerate::nccl {
namespace {

constexpr std::size_t kMostListed = 16;

std::string map_text(std::span<const GpuOfRank> gpus) {
  std::string text;
  for (const GpuOfRank& gpu : gpus.first(std::min(gpus.size(), kMostListed)))
    text += fmt::format("{}rank {}: {} GPU {} [{}]", text.empty() ? "" : ", ", gpu.rank,
                        gpu.hostname, gpu.index, gpu.bus_id);
  return gpus.size() > kMostListed ? text + ", …" : text;
}

}  // namespace

std::vector<GpuOfRank> gather_gpus(Bootstrap& members, std::span<Device* const> local,
                                   const Deadline& deadline) {
  WireWriter mine;
  mine.put_text(members.place().hostname).put_text(members.place().identity);
  for (const Device* device : local) {
    mine.put(device->index());
    mine.put_text(device->bus_id());
  }
  std::vector<GpuOfRank> gpus;
  for (const Bytes& bytes : members.all_gather(mine.bytes(), deadline)) {
    WireReader in(bytes);
    const auto hostname = in.get_text();
    const auto node = in.get_text();
    for (std::size_t i = 0; i < local.size(); ++i) {
      const int index = in.get<int>();
      gpus.push_back({.rank = static_cast<int>(gpus.size()),
                      .hostname = hostname,
                      .node = node,
                      .bus_id = in.get_text(),
                      .index = index});
    }
  }
  return gpus;
}

std::string shared_gpu_sentence(std::span<const GpuOfRank> gpus) {
  std::map<std::pair<std::string, std::string>, int> owners;
  for (const GpuOfRank& gpu : gpus) {
    const auto [other, fresh] = owners.try_emplace({gpu.node, gpu.bus_id}, gpu.rank);
    if (fresh) continue;
    return fmt::format(
        "Ranks {} and {} have the same GPU, {} GPU {} [{}], and NCCL wants one for each ({}). "
        "Start "
        "fewer ranks on that host, or see what CUDA_VISIBLE_DEVICES and NCCL_TESTS_DEVICE choose.",
        other->second, gpu.rank, gpu.hostname, gpu.index, gpu.bus_id, map_text(gpus));
  }
  return {};
}

}  // namespace linerate::nccl
