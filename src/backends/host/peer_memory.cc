#include "backends/host/peer_memory.h"

#include "backends/host/streaming.h"
#include "base/error.h"

#include <fmt/format.h>

#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>

namespace linerate::host {
namespace {

using Call = ssize_t (*)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long,
                         unsigned long);

// Less than asked for is done where it is more than 2 GiB, or where a page is missing: the next
// call then says so.
void copy(Call call, std::byte* here, PeerBytes there, std::size_t bytes) {
  while (bytes > 0) {
    const iovec local{here, bytes};
    const iovec remote{there.address, bytes};
    const ssize_t done = call(there.pid, &local, 1, &remote, 1, 0);
    if (done < 0 && errno == ESRCH)
      throw PeerFailure(
          fmt::format("Rank {} has ended in a call (process {}).", there.world_rank, there.pid),
          {there.world_rank});
    if (done <= 0) throw SystemError(errno, fmt::format("Memory of rank {}", there.world_rank));
    here += done;
    there = there.after(static_cast<std::size_t>(done));
    bytes -= static_cast<std::size_t>(done);
  }
}

// What a process shows so that others can see whether they read its memory and no other's.
struct Sample {
  pid_t pid = 0;
  std::uint64_t* address = nullptr;
  std::uint64_t value = 0;
};

// What is written is what is there.
bool can_reach(const Sample& sample) {
  constexpr auto kBytes = static_cast<ssize_t>(sizeof(sample.value));
  std::uint64_t value = 0;
  const iovec local{&value, sizeof(value)};
  const iovec remote{sample.address, sizeof(value)};
  return process_vm_readv(sample.pid, &local, 1, &remote, 1, 0) == kBytes &&
         value == sample.value && process_vm_writev(sample.pid, &local, 1, &remote, 1, 0) == kBytes;
}

}  // namespace

void copy_from(std::byte* to, PeerBytes from, std::size_t bytes, Stores stores) {
  if (from.is_here()) return move_bytes(to, from.address, bytes, stores);
  copy(process_vm_readv, to, from, bytes);
}

void copy_to(PeerBytes to, const std::byte* from, std::size_t bytes, Stores stores) {
  if (to.is_here()) return move_bytes(to.address, from, bytes, stores);
  copy(process_vm_writev, const_cast<std::byte*>(from), to, bytes);
}

// It has no memory any more. Of a living process nobody can read the first page.
bool has_ended(pid_t pid) {
  std::byte byte{};
  const iovec local{&byte, 1};
  const iovec remote{nullptr, 1};
  return process_vm_readv(pid, &local, 1, &remote, 1, 0) < 0 && errno == ESRCH;
}

std::vector<pid_t> reachable_processes(Bootstrap& bootstrap, const std::vector<int>& processes,
                                       const Deadline& deadline) {
  const auto own = processes[static_cast<std::size_t>(bootstrap.rank())];
  if (std::ranges::all_of(processes, [own](int process) { return process == own; })) return {};
  // Yama's usual rule lets a process reach its descendants only. An exception for those of this
  // one's parent would end with it, and with it calls under way.
  (void)prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  std::uint64_t value = 0;
  if (getrandom(&value, sizeof(value), 0) < 0) throw SystemError(errno, "getrandom");
  const auto samples = all_values(bootstrap, Sample{getpid(), &value, value}, deadline);
  int reaches_all = 1;
  for (std::size_t peer = 0; peer < samples.size(); ++peer)
    if (processes[peer] != own && !can_reach(samples[peer])) reaches_all = 0;
  // `value` stays until all have looked.
  if (std::ranges::min(all_values(bootstrap, reaches_all, deadline)) == 0) return {};
  std::vector<pid_t> pids;
  for (std::size_t peer = 0; peer < samples.size(); ++peer)
    pids.push_back(processes[peer] == own ? 0 : samples[peer].pid);
  return pids;
}

}  // namespace linerate::host
