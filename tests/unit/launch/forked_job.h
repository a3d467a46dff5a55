// Real processes for tests of the watch: forked, joined by socket pairs, heard by the parent.
#pragma once

#include "base/error.h"
#include "base/handle.h"
#include "support/bootstrap.h"

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// A bootstrap in which every two processes share a socket pair: simple, and for a few processes.
class MeshBootstrap final : public GatheringBootstrap {
 public:
  MeshBootstrap(int rank, const std::vector<int>& node_of_rank, std::vector<FileDescriptor> peers)
      : GatheringBootstrap(rank, static_cast<int>(peers.size()), place_on(node_of_rank, rank)),
        peers_(std::move(peers)) {}

  std::vector<Bytes> all_gather(std::span<const std::byte> mine, const Deadline&) override {
    std::vector<Bytes> all(peers_.size());
    for (int peer = 0; peer < nranks(); ++peer)
      if (peer != rank()) send(peer, mine);
    for (int peer = 0; peer < nranks(); ++peer)
      all[static_cast<std::size_t>(peer)] =
          peer == rank() ? Bytes(mine.begin(), mine.end()) : receive(peer);
    return all;
  }
  Bytes exchange(int peer, std::span<const std::byte> mine, const Deadline&) override {
    send(peer, mine);
    return receive(peer);
  }

 private:
  int fd(int peer) const { return peers_[static_cast<std::size_t>(peer)].get(); }
  void send(int peer, std::span<const std::byte> bytes) {
    const auto length = static_cast<std::uint32_t>(bytes.size());
    move(::send, peer, std::as_bytes(std::span(&length, 1)));
    move(::send, peer, bytes);
  }
  Bytes receive(int peer) {
    std::uint32_t length = 0;
    move(::recv, peer, std::as_writable_bytes(std::span(&length, 1)));
    Bytes bytes(length);
    move(::recv, peer, std::span(bytes));
    return bytes;
  }
  template <typename Call, typename Span>
  void move(Call call, int peer, Span bytes) {
    while (!bytes.empty()) {
      const auto moved = call(fd(peer), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (moved <= 0) throw PeerFailure("a process of the test is gone", {peer});
      bytes = bytes.subspan(static_cast<std::size_t>(moved));
    }
  }

  std::vector<FileDescriptor> peers_;
};

// What a process of a test can do: talk to the parent, and take its commands.
class TestMember {
 public:
  TestMember(Bootstrap& bootstrap, int channel) : bootstrap_(bootstrap), channel_(channel) {}

  Bootstrap& bootstrap() { return bootstrap_; }
  void tell(std::string_view text) { (void)!::send(channel_, text.data(), text.size(), 0); }
  // Until the parent says go.
  void await() {
    char go = 0;
    if (::recv(channel_, &go, 1, 0) != 1) _exit(99);
  }

 private:
  Bootstrap& bootstrap_;
  int channel_;  // keeps the borders of messages
};

// Forks one process per element of `node_of_rank`; each runs `body`, and exits with what it yields.
// Whatever the test does, all end: after 60 s, and with the parent.
class ForkedJob {
 public:
  using Body = std::function<int(TestMember&)>;

  ForkedJob(const std::vector<int>& node_of_rank, const Body& body)
      : stderr_(memfd_create("stderr", 0)) {
    const auto n = node_of_rank.size();
    std::vector<std::vector<FileDescriptor>> mesh(n);
    for (auto& row : mesh) row.resize(n);
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a + 1; b < n; ++b) join(mesh[a][b], mesh[b][a], SOCK_STREAM);
    for (std::size_t rank = 0; rank < n; ++rank) {
      FileDescriptor mine, theirs;
      join(mine, theirs, SOCK_SEQPACKET);
      const auto parent = getpid();
      const pid_t pid = fork();
      if (pid == 0) {
        begin_child(parent);
        mine.close();
        auto peers = std::move(mesh[rank]);
        mesh.clear();
        channels_.clear();
        MeshBootstrap bootstrap(static_cast<int>(rank), node_of_rank, std::move(peers));
        TestMember member(bootstrap, theirs.get());
        _exit(body(member));
      }
      pids_.push_back(pid);
      channels_.push_back(std::move(mine));
    }
  }
  ForkedJob(const ForkedJob&) = delete;
  ForkedJob& operator=(const ForkedJob&) = delete;
  ~ForkedJob() {
    for (const int pid : pids_)
      if (pid > 0) kill(pid, SIGKILL), waitpid(pid, nullptr, 0);
  }

  // The next text that the process told; empty when it has ended.
  std::string heard(int rank) const {
    char text[4096];
    const auto length = ::recv(channel(rank), text, sizeof text, 0);
    return length > 0 ? std::string(text, static_cast<std::size_t>(length)) : std::string();
  }
  void go(int rank) const { (void)!::send(channel(rank), "g", 1, MSG_NOSIGNAL); }
  void signal(int rank, int number) const { kill(pid(rank), number); }
  pid_t pid(int rank) const { return pids_[static_cast<std::size_t>(rank)]; }

  // The exit code; minus the number of the signal that ended it.
  int ended(int rank) {
    int status = 0;
    waitpid(pid(rank), &status, 0);
    pids_[static_cast<std::size_t>(rank)] = 0;
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
  }
  // What all processes have printed so far.
  std::string printed() const {
    std::string text(static_cast<std::size_t>(lseek(stderr_.get(), 0, SEEK_END)), ' ');
    (void)!pread(stderr_.get(), text.data(), text.size(), 0);
    return text;
  }

 private:
  static void join(FileDescriptor& a, FileDescriptor& b, int type) {
    int pair[2];
    check_system(socketpair(AF_UNIX, type, 0, pair), "socketpair");
    a = FileDescriptor(pair[0]);
    b = FileDescriptor(pair[1]);
  }
  void begin_child(pid_t parent) const {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(98);
    alarm(60);
    dup2(stderr_.get(), STDERR_FILENO);
  }
  int channel(int rank) const { return channels_[static_cast<std::size_t>(rank)].get(); }

  FileDescriptor stderr_;
  std::vector<pid_t> pids_;
  std::vector<FileDescriptor> channels_;
};

}  // namespace linerate
