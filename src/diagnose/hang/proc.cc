// What Linux tells of a process without a debugger: proc(5).
#include "base/file.h"
#include "base/text.h"
#include "diagnose/hang/hang.h"

#include <fmt/format.h>

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

namespace linerate::hang {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostThreads = 4096, kMostSockets = 65536;

// Nothing that may hold a secret.
constexpr std::string_view kVariables =
    "|RANK|WORLD_SIZE|LOCAL_RANK|LOCAL_WORLD_SIZE|MASTER_ADDR|MASTER_PORT|OMPI_COMM_WORLD_RANK|"
    "OMPI_COMM_WORLD_SIZE|PMI_RANK|PMI_SIZE|SLURM_PROCID|SLURM_NTASKS|"
    "TORCH_NCCL_DEBUG_INFO_TEMP_FILE|TORCH_NCCL_TRACE_BUFFER_SIZE|";

// The system calls in which the threads of jobs wait, of those that all processors have.
struct Syscall {
  long number;
  std::string_view name;
};
constexpr Syscall kSyscalls[] = {
    {SYS_futex, "futex"},       {SYS_read, "read"},           {SYS_recvfrom, "recvfrom"},
    {SYS_recvmsg, "recvmsg"},   {SYS_ppoll, "ppoll"},         {SYS_epoll_pwait, "epoll_pwait"},
    {SYS_pselect6, "pselect6"}, {SYS_nanosleep, "nanosleep"}, {SYS_clock_nanosleep, "nanosleep"},
    {SYS_wait4, "wait4"},       {SYS_waitid, "waitid"},       {SYS_ioctl, "ioctl"},
    {SYS_accept4, "accept4"},   {SYS_connect, "connect"},     {SYS_write, "write"},
    {SYS_sendmsg, "sendmsg"},   {SYS_fsync, "fsync"},         {SYS_openat, "openat"}};

// Files of /proc have no size; these are short.
std::optional<std::string> text_of(const fs::path& file, std::size_t most = 1U << 20U) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) return {};
  std::string text;
  std::array<char, 16384> room{};
  while (text.size() < most && (stream.read(room.data(), room.size()), stream.gcount() > 0))
    text.append(room.data(), static_cast<std::size_t>(stream.gcount()));
  return text;
}

std::vector<int> numbers_in(const fs::path& folder, std::size_t most) {
  std::vector<int> numbers;
  std::error_code failed;
  for (fs::directory_iterator entry(folder, failed);
       !failed && entry != fs::directory_iterator() && numbers.size() < most;
       entry.increment(failed))
    if (const auto number = parse_integer("", entry->path().filename().string()))
      numbers.push_back(static_cast<int>(*number));
  std::ranges::sort(numbers);
  return numbers;
}

std::string waiting_place(const fs::path& task) {
  const auto channel = std::string(trim(text_of(task / "wchan").value_or("")));
  if (!channel.empty() && channel != "0") return plain_text(shortened(channel, 40));
  const auto call = text_of(task / "syscall").value_or("");  // "202 0x… …", "running", "-1 …"
  const auto number = parse_integer("", call.substr(0, call.find(' ')));
  const auto row = std::ranges::find(kSyscalls, number ? *number : -1, &Syscall::number);
  return row == std::end(kSyscalls) ? "" : std::string(row->name);
}

// The fields of a stat file: state, parent, …, the ones named by proc(5) from the third on.
std::optional<ThreadSeen> thread_at(const fs::path& task, int tid) {
  const auto stat = text_of(task / "stat");
  const auto name = stat ? stat->find('(') : std::string::npos;
  const auto end = stat ? stat->rfind(')') : std::string::npos;  // the name may hold any of these
  if (name == std::string::npos || end == std::string::npos || end < name) return {};
  std::istringstream fields(stat->substr(end + 1));
  const std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
  constexpr std::size_t kState = 0, kFlags = 6, kUser = 11, kSystem = 12;
  constexpr std::int64_t kKernelThread = 0x00200000;  // PF_KTHREAD of linux/sched.h
  if (words.size() <= kSystem) return {};
  const auto seconds = [&](std::size_t field) {
    const auto ticks = parse_number("", words[field]);
    return ticks ? *ticks / static_cast<double>(sysconf(_SC_CLK_TCK)) : 0;
  };
  const auto flags = parse_integer("", words[kFlags]);
  // "ran waited slices" in nanoseconds; not there where the kernel does not count it
  const auto waited = split(text_of(task / "schedstat").value_or(""), ' ');
  const auto queued_ns = parse_number("", waited.size() > 1 ? waited[1] : "");
  return ThreadSeen{.tid = tid,
                    .name = plain_text(stat->substr(name + 1, end - name - 1)),
                    .state = words[kState][0],
                    .waits_in = waiting_place(task),
                    .user_s = seconds(kUser),
                    .system_s = seconds(kSystem),
                    .queued_s = queued_ns ? *queued_ns * 1e-9 : 0,
                    .of_kernel = flags && (*flags & kKernelThread) != 0};
}

// "0100007F:1F90" and its form of IPv6, in which each word of 32 bits is of the machine's order.
std::string address_of(std::string_view hex) {
  const auto colon = hex.find(':');
  const auto port =
      colon == std::string_view::npos ? std::nullopt : parse_hex(hex.substr(colon + 1));
  if (!port || (colon != 8 && colon != 32)) return {};
  std::vector<std::uint64_t> bytes;
  for (std::size_t word = 0; word < colon; word += 8)
    for (std::size_t byte = 4; byte-- > 0;)
      bytes.push_back(parse_hex(hex.substr(word + 2 * byte, 2)).value_or(0));
  const std::span all(bytes);
  const bool is_v4 = bytes.size() == 4 ||  // or mapped into IPv6
                     (std::ranges::all_of(all.first(10), [](auto b) { return b == 0; }) &&
                      bytes[10] == 0xff && bytes[11] == 0xff);
  if (is_v4) {
    const auto b = all.last(4);
    return fmt::format("{}.{}.{}.{}:{}", b[0], b[1], b[2], b[3], *port);
  }
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 2)
    text += fmt::format("{}{:x}", i == 0 ? "" : ":", bytes[i] << 8U | bytes[i + 1]);
  return fmt::format("[{}]:{}", text, *port);
}

// The established TCP connections whose sockets are open in the process.
void add_connections(const fs::path& process, ProcessSeen& seen) {
  std::set<std::string> inodes;
  std::error_code failed;
  for (fs::directory_iterator entry(process / "fd", failed);
       !failed && entry != fs::directory_iterator() && inodes.size() < kMostSockets;
       entry.increment(failed)) {
    std::error_code gone;
    const auto target = fs::read_symlink(entry->path(), gone).string();
    if (target.starts_with("socket:[")) inodes.insert(target.substr(8, target.size() - 9));
  }
  if (failed) seen.unseen.emplace_back("connections: this user may not see them");
  constexpr std::size_t kMostTable = 64U << 20U;
  for (const auto* table : {"net/tcp", "net/tcp6"}) {
    std::istringstream lines(text_of(process / table, kMostTable).value_or(""));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      const std::vector<std::string> words{std::istream_iterator<std::string>(fields), {}};
      constexpr std::size_t kPeer = 2, kState = 3, kQueues = 4, kRetransmits = 6, kInode = 9;
      if (words.size() <= kInode || words[kState] != "01" || !inodes.contains(words[kInode]))
        continue;
      const auto queues = split(words[kQueues], ':');
      if (queues.size() != 2) continue;
      seen.connections.push_back({.peer = address_of(words[kPeer]),
                                  .unsent_bytes = parse_hex(queues[0]).value_or(0),
                                  .unread_bytes = parse_hex(queues[1]).value_or(0),
                                  .retransmits = parse_hex(words[kRetransmits]).value_or(0)});
    }
  }
}

}  // namespace

std::optional<ProcessSeen> look_at(const fs::path& proc, int pid) {
  const auto process = proc / std::to_string(pid);
  const auto whole = thread_at(process, pid);
  if (!whole) return {};
  ProcessSeen seen{
      .pid = pid, .name = whole->name, .state = whole->state, .of_kernel = whole->of_kernel};
  if (seen.state == 'Z') return seen;  // nothing else is left of it
  for (const auto& line : split(text_of(process / "status").value_or(""), '\n'))
    if (line.starts_with("TracerPid:"))
      if (const auto tracer = parse_integer("", trim(line.substr(10))))
        seen.tracer = static_cast<int>(*tracer);
  const auto variables = text_of(process / "environ");
  if (!variables) seen.unseen.emplace_back("variables: this user may not read them");
  for (const auto& variable : split(variables.value_or(""), '\0')) {
    const auto name = variable.substr(0, variable.find('='));
    if (name.size() < variable.size() &&
        kVariables.find(fmt::format("|{}|", name)) != std::string_view::npos)
      seen.variables.emplace(name, plain_text(shortened(variable.substr(name.size() + 1), 200)));
  }
  for (const int tid : numbers_in(process / "task", kMostThreads))
    if (auto thread = thread_at(process / "task" / std::to_string(tid), tid))
      seen.threads.push_back(*std::move(thread));
  std::ranges::stable_partition(seen.threads,
                                [&](const ThreadSeen& thread) { return thread.tid == pid; });
  add_connections(process, seen);
  return seen;
}

}  // namespace linerate::hang
