// Answers the neighbours that connect while the watches are set up, from a thread of its own.
#pragma once

#include "base/acceptor.h"
#include "base/handle.h"

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

}  // namespace linerate
