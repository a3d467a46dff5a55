// Buffers are touched by the thread that uses them.
#include "bench/session.h"

#include "base/error.h"
#include "base/text.h"
#include "base/wire.h"
#include "bench/plan.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace linerate {

CoreWait::CoreWait() : file_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {}

std::optional<std::int64_t> CoreWait::ns() const {
  std::array<char, 128> text{};
  if (!file_) return std::nullopt;
  const auto length = ::pread(file_.get(), text.data(), text.size(), 0);
  if (length <= 0) return std::nullopt;
  return run_delay_ns({text.data(), static_cast<std::size_t>(length)});
}

std::optional<std::int64_t> run_delay_ns(std::string_view schedstat) {
  const auto blank = schedstat.find(' ');
  if (blank == std::string_view::npos) return std::nullopt;
  const auto rest = schedstat.substr(blank + 1);
  std::int64_t ns = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), ns);
  if (error != std::errc() || end == rest.data() || ns < 0) return std::nullopt;
  return ns;
}

Session::Session(RankContext& rank, const BenchConfig& config) : rank_(rank), config_(config) {
  const bool splits = config.split.kind != SplitRule::Kind::none;
  if (splits && !rank.is_split())  // by an earlier run of the job
    rank.split([&](int global) { return config.split.color(global); });
  force_algorithm();
}

// Refused where no collective has it; where one has not, the backend's own choice stays.
void Session::force_algorithm() {
  const std::string_view wanted = config().algorithm;
  if (wanted.empty()) return;
  for (auto& local : ranks()) {
    const auto known = local.comm().inspector().algorithms();
    if (known.empty())
      throw Error(fmt::format("--algo: the {} backend chooses its algorithms alone; leave it out.",
                              rank_.backend().name()),
                  ExitCode::usage);
    if (std::ranges::find(known, wanted) == known.end())
      throw Error(unknown_choice("algorithm", wanted, known), ExitCode::usage);
    local.comm().inspector().use_algorithm(wanted);
  }
}

// Ranks that share the free memory which their device tells: all of a node its host memory, and
// those on one GPU that GPU's.
std::size_t Session::sharers_of(const LocalRank& local) const {
  const auto on_node =
      static_cast<std::size_t>(rank_.bootstrap().place().local_nranks) * ranks().size();
  if (local.device->kind() != DeviceKind::cuda) return on_node;
  const auto& own = infos()[static_cast<std::size_t>(local.rank)];
  const auto shares = [&](const RankInfo& other) {
    return other.node == own.node && other.bus_id == own.bus_id;
  };
  return static_cast<std::size_t>(std::ranges::count_if(infos(), shares));
}

std::size_t Session::rank_memory() {
  std::size_t least = config().limit_memory.value_or(SIZE_MAX);
  for (const auto& local : ranks()) {
    if (config().limit_memory) break;  // the user knows better
    least = std::min(least, rank_bytes_of(local.device->free_bytes(), sharers_of(local)));
  }
  return std::ranges::min(all_values(bootstrap(), least, init_deadline()));
}

void Session::allocate(const BufferSizes& sizes, std::size_t lead) {
  enter_local({.what = "allocation", .bytes = sizes.bytes + lead});
  const auto buffer_of = [lead](LocalRank& local, std::size_t bytes) {
    const auto elements = (bytes + lead + kWidestBytes - 1) / kWidestBytes;  // fill() wants whole
    return local.comm().allocate(elements * kWidestBytes, MemoryKind::device);
  };
  for (auto& local : ranks()) {
    local.send = buffer_of(local, sizes.bytes);
    local.recv = buffer_of(local, sizes.bytes);
    if (sizes.spare_bytes > 0) local.spare = buffer_of(local, sizes.spare_bytes);
  }
  enter_local({.what = "filling", .bytes = 2 * ranks().size() * sizes.bytes});
  for (auto& local : ranks()) {
    const Content inputs{.type = DataType::float32, .rank = local.rank, .nranks = nranks()};
    local.device->fill(local.send.view(), inputs);
    local.device->fill(local.recv.view(), inputs);
  }
  register_buffers();
  enter({.what = "preparation"});  // what follows waits for the other threads
}

void Session::register_buffers() {
  const int how = config().gpu.local_register;
  if (how == 0) return;
  enter({.what = "registration", .timeout_s = config().init_timeout_s()});
  const auto kind = how == 1 ? RegistrationKind::local : RegistrationKind::symmetric;
  for (const auto buffer : {&LocalRank::send, &LocalRank::recv, &LocalRank::spare}) {
    if (group() != nullptr) group()->start();
    for (auto& local : ranks()) {
      if (buffer == &LocalRank::spare && local.spare.bytes() == 0) continue;
      local.registrations.push_back(local.comm().register_buffer(local.*buffer, kind));
    }
    if (group() != nullptr) group()->end();
  }
  const auto registered = std::ranges::count_if(ranks(), [](const LocalRank& local) {
    return std::ranges::all_of(local.registrations, [](const auto& r) { return r->effective(); });
  });
  registered_ranks_ = rank_.sum_of_threads(static_cast<int>(registered));
}

void Session::describe(RunInfo& info) const {
  info.transport = ranks().front().world->inspector().transport();
  info.tuning = rank_.backend().tuning();
  info.nranks = nranks();
  info.nnodes = static_cast<int>(ranks_by_node(infos()).size());
  info.nthreads = config().nthreads;
  info.ngpus = config().ngpus;
  info.nprocs = rank_.nprocesses();
  info.ngroups = rank_.ngroups();
  info.ranks = infos();
  info.init_us = rank_.init_us();
  info.registered_ranks = registered_ranks_;
}

}  // namespace linerate
