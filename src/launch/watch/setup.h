// Makes the watch's means: shared memory of the node, links to neighbours, notices of exits. While
// it does, a thread answers the neighbours that connect.
#pragma once

#include "base/acceptor.h"
#include "base/handle.h"
#include "launch/watch/link.h"
#include "launch/watch/page.h"
#include "launch/watch/process.h"
#include "launch/watch/watch.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <thread>
#include <vector>

namespace linerate {

// Drawn by the first process for one job; who knows it belongs to the job.
struct ControlSecret {
  std::array<std::byte, 8> name{};  // in the names of sockets, which everybody on the host can see
  std::array<std::byte, 24> key{};
};

// What a connection is for.
enum class Purpose : std::uint32_t { link, memory };

// The first message on a connection.
struct ControlHello {
  std::array<std::byte, 24> key{};
  std::int32_t from = 0;  // process
  std::int32_t to = 0;
  Purpose purpose = Purpose::link;
};
// The answer, with the descriptor of the node's memory where that was asked for.
inline constexpr std::uint32_t kHelloAck = 0x6c6e7274;

// Answers, on a thread of its own, the neighbours that know the secret: who wants to be linked, and
// who wants the node's memory. Strangers are dropped. Used by the thread that made it.
class ControlAcceptor {
 public:
  struct Options {
    int self = 0;
    ControlSecret secret;
    int memory = -1;  // what Purpose::memory is given; -1: nothing
  };

  // Begins to answer. `listeners` that are none are left out.
  ControlAcceptor(std::vector<FileDescriptor> listeners, const Options& options);
  ControlAcceptor(const ControlAcceptor&) = delete;
  ControlAcceptor& operator=(const ControlAcceptor&) = delete;
  ~ControlAcceptor();

  // Ends the thread and closes the listeners. Yields the connections that became links, by process.
  std::map<int, FileDescriptor> finish();

 private:
  Acceptor::Next greet(FileDescriptor& connection, std::span<const std::byte> bytes);

  Options options_;
  FileDescriptor stop_;
  std::map<int, FileDescriptor> links_;
  Acceptor acceptor_;
  std::thread thread_;
};

// What a watch works with: the processes of the job, and its ways to hear of them.
struct ControlParts {
  struct Exit {
    int process = 0;
    FileDescriptor pidfd;
  };

  int self = 0;  // index in processes
  std::vector<ControlProcess> processes;
  ControlPage page;
  // By process: shares this process' memory. False for itself: its slot is 0, and nobody else
  // reads.
  std::vector<bool> shares_page;
  std::vector<ControlLink>
      links;  // to the neighbours that control_neighbours() yields, as far as they could be made
  std::vector<Exit> exits;  // of processes of this node
  std::vector<int> gone;    // died during the set-up
  const ControlProcess& mine() const { return processes[static_cast<std::size_t>(self)]; }
  bool shares(int process) const { return shares_page[static_cast<std::size_t>(process)]; }
  // REQUIRES: shares(process), or process == self.
  std::size_t slot_of(int process) const;
};

// Collective over all processes. A link or memory that cannot be had is a note on stderr: the watch
// works with what is left.
ControlParts set_up_control(Bootstrap& process, const Watch::Options& options);

}  // namespace linerate
