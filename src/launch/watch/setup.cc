// Neighbours are greeted with the secret; what one could not set up is told to all.
#include "launch/watch/setup.h"

#include "base/error.h"
#include "base/log.h"
#include "base/unix_socket.h"
#include "launch/net/address.h"
#include "launch/tree/tcp_bootstrap.h"
#include "launch/watch/link.h"
#include "launch/watch/process.h"

#include <fmt/format.h>

#include <sys/random.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <tuple>

namespace linerate {
namespace {

constexpr std::size_t kMaxAddresses = 8;
constexpr double kAttemptS = 1.0;      // of one connection, and of its answer
constexpr double kAllAttemptsS = 2.0;  // of one neighbour, over its addresses
// Processes of a node that one process watches directly: each costs a descriptor.
constexpr int kMaxExits = 128;

std::uint16_t port_at(const ControlProcess& peer, const std::string& host) {
  const auto index = std::ranges::find(peer.hosts, host) - peer.hosts.begin();
  return index < std::ssize(peer.ports) ? peer.ports[static_cast<std::size_t>(index)]
                                        : std::uint16_t{0};
}

// What a process could set up, told to all.
struct Made {
  bool memory = false;
  std::vector<int> links;  // to the lower neighbours that answered
  std::string trouble;     // why one is not there; empty: all are

  static auto members(auto& made) { return std::tie(made.memory, made.links, made.trouble); }
};

ControlSecret share_secret(Bootstrap& process, const Deadline& deadline) {
  ControlSecret secret;
  const bool draws = process.rank() == 0;
  if (draws && ::getrandom(&secret, sizeof secret, 0) != static_cast<ssize_t>(sizeof secret))
    throw SystemError(errno, "getrandom");
  return value_of_rank_0(process, secret, deadline);
}

std::string socket_name(const ControlSecret& secret, int process) {
  std::string name = "linerate-watch-";
  for (const auto byte : secret.name) name += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return name + fmt::format("-{}", process);
}

// Of this process, for other nodes: the one that the job's own connections use, else those of all
// interfaces.
std::vector<std::string> own_hosts(const Bootstrap& process) {
  if (auto host = host_of(process); !host.empty()) return {std::move(host)};
  std::vector<std::string> hosts;
  for (auto& address : interface_addresses())
    if (hosts.size() < kMaxAddresses) hosts.push_back(std::move(address.host));
  return hosts;
}

class Setup {
 public:
  Setup(Bootstrap& process, const Watch::Options& options)
      : process_(process), options_(options), secret_(share_secret(process, options.deadline)) {
    parts_.self = process.rank();
  }

  ControlParts run() {
    auto listeners = listen();
    parts_.processes = share_processes(process_, mine_, options_.deadline);
    make_memory();
    ControlAcceptor acceptor(
        std::move(listeners),
        {.self = parts_.self, .secret = secret_, .memory = parts_.page.descriptor()});
    fetch_memory();
    for (const int lower : neighbours())
      if (lower < parts_.self) connect_to(process_at(lower));
    const auto made = share_made();
    note_trouble(made);
    keep_links(acceptor.finish(), made);
    settle_memory(made);
    watch_exits();
    return std::move(parts_);
  }

 private:
  // As on which address and under which name the others can connect.
  std::vector<FileDescriptor> listen() {
    mine_ = own_process(process_, options_);
    const auto& place = process_.place();
    std::vector<FileDescriptor> listeners;
    if (place.local_nranks > 1) listeners.push_back(listen_unix(socket_name(secret_, parts_.self)));
    if (place.nnodes == 1) return listeners;
    for (const auto& host : own_hosts(process_)) listen_at(host, listeners);
    return listeners;
  }

  // An address that cannot be listened on (it has just gone) is none at which others find this one.
  void listen_at(const std::string& host, std::vector<FileDescriptor>& listeners) {
    try {
      auto listener = Listener::open({host, 0});
      mine_.hosts.push_back(host);
      mine_.ports.push_back(listener.address().port);
      listeners.push_back(std::move(listener).take());
    } catch (const Error&) {
    }
  }

  ControlPage::Shape node_shape() const {
    const auto widest = std::ranges::max(parts_.processes, {}, &ControlProcess::nthreads);
    return {.nslots = static_cast<std::size_t>(process_.place().local_nranks),
            .nthreads = static_cast<std::size_t>(widest.nthreads)};
  }

  // The first process of each node makes the memory of its node.
  void make_memory() {
    if (parts_.mine().slot != 0) return;
    parts_.page = ControlPage::create(node_shape());
    page_shared_ = true;
  }

  void fetch_memory() {
    if (parts_.mine().slot == 0) return;
    const auto first = std::ranges::find_if(parts_.processes, [&](const auto& other) {
      return other.node == parts_.mine().node && other.slot == 0;
    });
    FileDescriptor memory;
    auto fd = connect_unix(socket_name(secret_, first->process));
    if (fd && greet(fd.get(), first->process, Purpose::memory, &memory) && memory) {
      parts_.page = ControlPage::map(std::move(memory), node_shape());
      page_shared_ = true;
    }
  }

  bool greet(int fd, int to, Purpose purpose, FileDescriptor* passed = nullptr) {
    const auto deadline = Deadline::after(clock_, kAttemptS);
    const ControlHello hello{secret_.key, parts_.self, to, purpose};
    std::uint32_t answer = 0;
    return send_whole(fd, std::as_bytes(std::span(&hello, 1))) &&
           recv_whole(fd, std::as_writable_bytes(std::span(&answer, 1)), deadline, passed) &&
           answer == kHelloAck;
  }

  std::vector<int> neighbours() const {
    return control_neighbours(parts_.self, static_cast<int>(parts_.processes.size()));
  }
  const ControlProcess& process_at(int process) const {
    return parts_.processes[static_cast<std::size_t>(process)];
  }

  void connect_to(const ControlProcess& peer) {
    auto fd = peer.node == parts_.mine().node ? connect_locally(peer) : connect_afar(peer);
    if (fd) return parts_.links.emplace_back(std::move(fd), peer.process), void();
    trouble_ = fmt::format("{} has no control link to {} ({})",
                           subject(parts_.mine(), ranks_of(parts_.mine())),
                           subject(peer, ranks_of(peer)), reason_);
  }

  FileDescriptor connect_locally(const ControlProcess& peer) {
    auto fd = connect_unix(socket_name(secret_, peer.process));
    if (fd && greet(fd.get(), peer.process, Purpose::link)) return fd;
    reason_ = fd ? "no answer" : std::strerror(errno);
    return {};
  }

  FileDescriptor connect_afar(const ControlProcess& peer) {
    reason_ = "it has no address for other hosts";
    const auto end = Deadline::after(clock_, kAllAttemptsS);
    for (const auto& host : nearest_first(peer.hosts, interface_addresses())) {
      if (end.passed()) break;
      const SocketAddress address{host, port_at(peer, host)};
      auto fd = connect_tcp(address, Deadline::after(clock_, kAttemptS));
      const auto failed = fd ? "no answer" : std::strerror(errno);
      if (fd && greet(fd.get(), peer.process, Purpose::link)) return fd;
      reason_ = fmt::format("{}: {}", text_of(address), failed);
    }
    return {};
  }

  std::vector<Made> share_made() {
    Made mine{.memory = page_shared_, .links = {}, .trouble = trouble_};
    for (const auto& link : parts_.links) mine.links.push_back(link.peer());
    return all_values(process_, mine, options_.deadline);
  }

  // One line for the job.
  void note_trouble(const std::vector<Made>& made) const {
    const auto has_trouble = [](const Made& one) { return !one.trouble.empty(); };
    const auto first = std::ranges::find_if(made, has_trouble);
    if (parts_.self != 0 || first == made.end()) return;
    const auto others = std::count_if(std::next(first), made.end(), has_trouble);
    say(fmt::format("note: {}{}; faults of other hosts may be noticed late", first->trouble,
                    others == 0 ? "" : fmt::format(", and {} more processes lack one", others)));
  }

  // One that gave up before it heard the answer has no link, though this process has one.
  void keep_links(std::map<int, FileDescriptor> accepted, const std::vector<Made>& made) {
    for (const int higher : neighbours()) {
      const auto found = accepted.find(higher);
      if (higher < parts_.self || found == accepted.end()) continue;
      const auto& links = made[static_cast<std::size_t>(higher)].links;
      if (std::ranges::find(links, parts_.self) != links.end())
        parts_.links.emplace_back(std::move(found->second), higher);
    }
  }

  // Without the node's memory a process keeps its own, which nobody else sees.
  void settle_memory(const std::vector<Made>& made) {
    if (!page_shared_)
      parts_.page = ControlPage::create({.nslots = 1, .nthreads = node_shape().nthreads});
    for (const auto& other : parts_.processes) {
      const bool both = page_shared_ && made[static_cast<std::size_t>(other.process)].memory;
      parts_.shares_page.push_back(both && other.node == parts_.mine().node);
    }
  }

  // Who leaves as planned says so in the shared memory, so only those that share it are watched.
  void watch_exits() {
    const auto& mine = parts_.mine();
    const int local_nranks = process_.place().local_nranks;
    for (const auto& other : parts_.processes) {
      const int ahead = (other.slot - mine.slot + local_nranks) % local_nranks;
      if (!parts_.shares(other.process) || ahead == 0 || ahead > kMaxExits) continue;
      auto notice = watch_exit(other, mine);
      if (notice.gone) parts_.gone.push_back(other.process);
      if (notice.pidfd) parts_.exits.push_back({other.process, std::move(notice.pidfd)});
    }
  }

  Bootstrap& process_;
  const Watch::Options& options_;
  SteadyClock clock_;
  ControlSecret secret_;
  ControlProcess mine_;
  ControlParts parts_;
  bool page_shared_ = false;
  std::string reason_, trouble_;
};

}  // namespace

std::size_t ControlParts::slot_of(int process) const {
  const auto slot = processes[static_cast<std::size_t>(process)].slot;
  return shares(process) ? static_cast<std::size_t>(slot) : 0;
}

ControlParts set_up_control(Bootstrap& process, const Watch::Options& options) {
  return Setup(process, options).run();
}

}  // namespace linerate
