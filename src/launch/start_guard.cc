// Looks ten times a second, so that a signal is answered within a second on a busy machine too.
#include "launch/start_guard.h"

#include "base/error.h"
#include "base/handle.h"
#include "launch/quiet_thread.h"
#include "launch/watch/process.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>
#include <vector>

namespace linerate {
namespace {

constexpr auto kLook = std::chrono::milliseconds(100);

// Found by lowering the limit: the watch, memory that is shared, the output.
constexpr std::size_t kAloneDescriptors = 4;
// And the store, the tree, the watch's links and whoever connects to them meanwhile.
constexpr std::size_t kJobDescriptors = 13;

bool is_stopped_child_of(pid_t parent, const std::filesystem::path& process) {
  auto fields = fields_of_stat(process / "stat");
  char state = 0;
  pid_t its_parent = 0;
  fields >> state >> its_parent;
  return its_parent == parent && (state == 'T' || state == 't');
}

// As the launcher numbers it; empty where it does not say.
std::string rank_of(const std::filesystem::path& process) {
  constexpr std::array<std::string_view, 3> kRanks{
      "OMPI_COMM_WORLD_RANK=", "PMIX_RANK=", "PMI_RANK="};
  std::ifstream variables(process / "environ");
  for (std::string line; std::getline(variables, line, '\0');)
    for (const auto name : kRanks)
      if (line.starts_with(name)) return line.substr(name.size());
  return {};
}

}  // namespace

void need_descriptors(int nprocesses) {
  const auto needed = nprocesses > 1 ? kJobDescriptors : kAloneDescriptors;
  std::vector<FileDescriptor> opened;
  while (opened.size() < needed) {
    opened.emplace_back(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));
    if (opened.back()) continue;
    rlimit limit{};
    (void)::getrlimit(RLIMIT_NOFILE, &limit);
    throw Error(
        fmt::format("this process may open {} files in all and {} more than it has open, but needs "
                    "{}: raise the limit (ulimit -n)",
                    limit.rlim_cur, opened.size() - 1, needed));
  }
}

void WaitingFor::set(std::function<std::string()> whom) {
  const std::lock_guard lock(mutex_);
  whom_ = std::move(whom);
}

std::string WaitingFor::text() const {
  const std::lock_guard lock(mutex_);
  return whom_ ? whom_() : std::string();
}

std::int64_t RunningClock::now_ns() const {
  const std::lock_guard lock(mutex_);
  return ran_ns_ + std::min(clock_.now_ns() - looked_ns_, max_gap_ns_);
}

void RunningClock::look() {
  const std::lock_guard lock(mutex_);
  const auto now_ns = clock_.now_ns();
  ran_ns_ += std::min(now_ns - looked_ns_, max_gap_ns_);
  looked_ns_ = now_ns;
}

void RunningClock::let_go() {
  look();
  const std::lock_guard lock(mutex_);
  max_gap_ns_ = std::numeric_limits<std::int64_t>::max();
}

StartGuard::StartGuard(Options options) : options_(std::move(options)), clock_(options_.clock) {
  if (!options_.exit) options_.exit = [](ExitCode code) { ::_exit(static_cast<int>(code)); };
  thread_ = quiet_thread([this] { run(); });
}

StartGuard::~StartGuard() { finish(); }

void StartGuard::watched() {
  const std::lock_guard lock(mutex_);
  watched_ = true;
}

void StartGuard::finish() {
  {
    const std::lock_guard lock(mutex_);
    if (!finished_ && !ended_ && interrupted()) end_interrupted();
    finished_ = true;
  }
  changed_.notify_all();
  if (!thread_.joinable()) return;
  thread_.join();
  clock_.let_go();
}

// The lock is held while the process ends: finish() waits meanwhile.
void StartGuard::run() {
  std::unique_lock lock(mutex_);
  while (!finished_ && look()) changed_.wait_for(lock, kLook);
}

bool StartGuard::look() {
  if (interrupted()) {
    end_interrupted();
    return false;
  }
  clock_.look();
  const auto elapsed_s = static_cast<double>(clock_.now_ns()) * 1e-9;
  if (!watched_ && elapsed_s >= options_.timeout_s + kLibraryS) {
    end(ExitCode::lost,
        fmt::format("initialisation timed out after {:.1f} s{}", elapsed_s, after_wait()));
    return false;
  }
  if (noted_ || !options_.notes || elapsed_s < kNoteAfterS) return true;
  if (const auto whom = waiting_for_.text(); !whom.empty()) {
    options_.say(fmt::format("{}: waiting for {}; gives up after {:g} s in all", options_.name,
                             whom, options_.timeout_s));
    noted_ = true;
  }
  return true;
}

bool StartGuard::interrupted() const { return options_.interrupted && options_.interrupted(); }

void StartGuard::end_interrupted() {
  end(ExitCode::interrupted, "interrupted during initialisation" + after_wait());
}

std::string StartGuard::after_wait() const {
  const auto whom = waiting_for_.text();
  return whom.empty() ? whom : ", waiting for " + whom;
}

void StartGuard::end(ExitCode code, const std::string& sentence) {
  ended_ = true;
  const bool tells = code != ExitCode::interrupted || !options_.silent;
  if (tells) options_.say(fmt::format("{}: {}", options_.name, sentence));
  if (options_.at_end) options_.at_end(code, sentence);
  options_.exit(code);
}

std::string stopped_siblings() {
  std::string found;
  std::error_code ignored;  // processes come and go
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const auto pid = entry.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!is_stopped_child_of(::getppid(), entry.path())) continue;
    const auto rank = rank_of(entry.path());
    if (!found.empty()) found += ", ";
    found +=
        rank.empty() ? fmt::format("process {}", pid) : fmt::format("rank {} (pid {})", rank, pid);
  }
  return found;
}

}  // namespace linerate
