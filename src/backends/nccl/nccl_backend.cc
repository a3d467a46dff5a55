#include "backends/nccl/nccl_backend.h"

#include "backends/nccl/comm_config.h"
#include "backends/nccl/endpoint.h"
#include "backends/nccl/nccl_communicator.h"
#include "backends/nccl/placement.h"
#include "backends/nccl/registration.h"
#include "base/handle.h"
#include "base/log.h"
#include "base/wire.h"
#include "devices/cuda/cuda_error.h"

#include <climits>
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

namespace linerate::nccl {
namespace {

std::string words_of(const GpuOfRank& gpu) {
  return fmt::format("Rank {} ({}, GPU {})", gpu.rank, gpu.hostname, gpu.index);
}

// What NCCL's own watcher (RAS, from 2.24) tells of a job that hangs: at most 16 KiB of what
// ncclras prints, with a line before it. Empty where the tool is not on the PATH, nothing answers
// it, or it takes more than two seconds; it gives ranks that do not answer one.
std::string ras_report() {
  constexpr std::size_t kMaxBytes = 16384;
  const Handle<std::FILE, ::pclose> tool(
      ::popen("exec timeout -s KILL 2 ncclras -t 1 </dev/null 2>/dev/null", "re"));
  std::string text(kMaxBytes, '\0');
  text.resize(tool ? std::fread(text.data(), 1, kMaxBytes, tool.get()) : 0);
  while (text.ends_with('\n')) text.pop_back();
  return text.empty() ? text : fmt::format("ncclras says:\n{}", text);
}

class NcclBackend final : public Backend {
 public:
  NcclBackend(NcclApi api, const cuda::CudaDeviceInput& input, const GpuOptions& options,
              NcclExtras extras)
      : api_(std::move(api)),
        input_(input),
        options_(options),
        note_(std::move(extras.note)),
        device_{.kernels = extras.kernels} {
    (void)comm_config(api_, options_);  // refuses now what would fail on every rank
    if (options_.local_register > 0)
      require_registration(api_, options_.local_register == 1 ? RegistrationKind::local
                                                              : RegistrationKind::symmetric);
    require_device_api(api_, options_);
    device_.number = options_.device_implementation;
    const int most = options_.oversubscribe ? kMaxSharedCtas : device_.ctas;
    device_.ctas = options_.device_ctas.value_or(std::min(device_.ctas, most));
  }

  std::string_view name() const override { return "nccl"; }
  std::string version() const override {
    return fmt::format("NCCL {} (built with headers of {})", version_text(api_.version),
                       version_text(NCCL_VERSION_CODE));
  }
  int nccl_version() const override { return api_.version; }
  Capabilities capabilities() const override {
    return {.device_memory = true, .loose_barrier = true, .ranks_share_thread = true};
  }
  std::unique_ptr<Device> open_device(int local_index) override {
    const int gpus = options_.oversubscribe ? cuda::require_gpus(input_.api) : INT_MAX;
    return cuda::make_cuda_device(local_index % gpus, input_);
  }

  std::vector<std::unique_ptr<Communicator>> connect(Bootstrap& bootstrap,
                                                     std::span<Device* const> local,
                                                     const ConnectOptions& options) override {
    if (bootstrap.rank() == 0 && !note_.empty()) say(note_);
    const auto gpus = gather_gpus(bootstrap, local, input_.api, options.deadline);
    if (const auto sentence = sharing_refusal(gpus, sharing_of(api_, options_)); !sentence.empty())
      throw Error(sentence, ExitCode::usage);
    const int first = bootstrap.rank() * static_cast<int>(local.size());
    const auto id = agree_on_id(bootstrap, options.deadline);
    const auto endpoints = initialise(id, gpus, first, local);
    remember(endpoints);
    std::vector<std::unique_ptr<Communicator>> communicators;
    communicators.reserve(local.size());
    for (std::size_t i = 0; i < local.size(); ++i)
      communicators.push_back(std::make_unique<NcclCommunicator>(
          Libraries{api_, input_.api, device_}, *local[i], endpoints[i],
          NcclCommunicator::Place{.rank = first + static_cast<int>(i),
                                  .nranks = static_cast<int>(gpus.size()),
                                  .shares_thread = local.size() > 1,
                                  .least_sm = std::ranges::min(gpus, {}, &GpuOfRank::sm).sm},
          &bootstrap));
    return communicators;
  }

  std::vector<std::unique_ptr<Communicator>> split(std::span<const SplitRequest> local) override {
    const auto comm_of = [](const SplitRequest& request) -> NcclCommunicator& {
      return static_cast<NcclCommunicator&>(request.comm.innermost());
    };
    std::vector<ncclComm_t> parts(local.size());
    NcclGroup group(api_, members_of_this_thread());
    group.start();
    for (std::size_t i = 0; i < local.size(); ++i)
      comm_of(local[i]).begin_split(local[i].color, local[i].key, parts[i]);
    group.end();
    std::vector<std::unique_ptr<Communicator>> communicators;
    communicators.reserve(local.size());
    for (std::size_t i = 0; i < local.size(); ++i)
      communicators.push_back(comm_of(local[i]).end_split(parts[i]));
    return communicators;
  }

  std::string hang_report() override { return ras_report(); }
  std::unique_ptr<Group> group() override {
    return std::make_unique<NcclGroup>(api_, members_of_this_thread());
  }

 private:
  using Endpoints = std::vector<std::shared_ptr<Endpoint>>;

  void remember(const Endpoints& endpoints) {
    const std::lock_guard lock(mutex_);
    auto& members = members_[std::this_thread::get_id()];
    members.assign(endpoints.begin(), endpoints.end());
  }

  NcclGroup::Members members_of_this_thread() const {
    const std::lock_guard lock(mutex_);
    const auto known = members_.find(std::this_thread::get_id());
    return known == members_.end() ? NcclGroup::Members() : known->second;
  }

  ncclUniqueId agree_on_id(Bootstrap& bootstrap, const Deadline& deadline) const {
    ncclUniqueId id{};
    if (bootstrap.rank() == 0) {
      const ncclResult_t code = api_.get_unique_id(&id);
      if (code != ncclSuccess) throw NcclError(api_, code, nullptr, "Rank 0", "ncclGetUniqueId");
    }
    return value_of_rank_0(bootstrap, id, deadline);
  }

  // All of a thread's GPUs at once: each one waits for all others.
  Endpoints initialise(const ncclUniqueId& id, std::span<const GpuOfRank> gpus, int first,
                       std::span<Device* const> local) const {
    std::vector<ncclComm_t> comms(local.size());
    const ncclConfig_t config = comm_config(api_, options_);
    ncclResult_t code = api_.group_start();
    std::size_t i = 0;  // of the rank that fails; of the first one where the group does
    for (; i < local.size() && code == ncclSuccess; ++i) {
      const cuda::DeviceGuard guard(input_.api, local[i]->index());
      ncclConfig_t own = config;
      code = api_.comm_init_rank_config(&comms[i], static_cast<int>(gpus.size()), id,
                                        first + static_cast<int>(i), &own);
    }
    const std::size_t failed = code == ncclSuccess ? 0 : i - 1;
    const ncclResult_t ended = api_.group_end();
    if (code == ncclSuccess) code = ended;
    const auto who = [&](std::size_t at) {
      return words_of(gpus[static_cast<std::size_t>(first) + at]);
    };
    if (code != ncclSuccess) {
      const NcclError error(api_, code, nullptr, who(failed), "ncclCommInitRank");
      for (const ncclComm_t comm : comms)
        if (comm != nullptr) (void)api_.comm_abort(comm);
      throw NcclError(error);
    }
    Endpoints endpoints;
    endpoints.reserve(comms.size());
    for (std::size_t at = 0; at < comms.size(); ++at)
      endpoints.push_back(std::make_shared<Endpoint>(api_, comms[at], who(at)));
    return endpoints;
  }

  const NcclApi api_;
  const cuda::CudaDeviceInput input_;
  const GpuOptions options_;
  const std::string note_;
  DeviceImplementation device_;
  mutable std::mutex mutex_;
  std::map<std::thread::id, NcclGroup::Members> members_;  // that the thread has connected
};

}  // namespace

std::unique_ptr<Backend> make_nccl_backend(NcclApi api, const cuda::CudaDeviceInput& input,
                                           const GpuOptions& options, NcclExtras extras) {
  return std::make_unique<NcclBackend>(std::move(api), input, options, std::move(extras));
}

}  // namespace linerate::nccl
