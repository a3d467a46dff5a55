// Accepts connections from anybody, and lets their first bytes decide who belongs to the job.
//
// Whoever listens on a network or under an abstract name meets strangers: port scanners, other
// runs, programs of the same user. One that says nothing costs a descriptor for a while, never a
// wait of the others.
#pragma once

#include "base/clock.h"
#include "base/handle.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <span>
#include <vector>

namespace linerate {

// After a failed accept: a connection waits that cannot be taken, so the listener stays readable.
bool out_of_descriptors(int code);

// Used by one thread.
class Acceptor {
 public:
  struct Limits {
    std::size_t max_pending = 64;  // then the one that has waited longest is dropped
    std::size_t max_bytes = 1024;  // of the first message
    double timeout_s = 5;          // for it
  };
  enum class Next : std::uint8_t { wait, drop };
  // Looks at the first bytes that a connection, which is non-blocking, has sent so far; may answer,
  // and take the descriptor.
  using Greet = std::function<Next(FileDescriptor& connection, std::span<const std::byte> bytes)>;

  // `listeners` are non-blocking; those that are none are left out.
  Acceptor(std::vector<FileDescriptor> listeners, const Limits& limits, Greet greet);

  // Waits for news for `wait_ms` at most (-1: for ever) or until `wake` is readable, and deals with
  // them. False: `wake` is.
  bool serve(int wait_ms, int wake = -1);

  bool listens() const { return !listeners_.empty(); }
  // No descriptor is left, also not for those that wait already.
  bool starved() const { return starved_ && pending_.empty(); }
  void close();

 private:
  struct Pending {
    FileDescriptor fd;
    std::int64_t since_ns = 0;
    std::vector<std::byte> bytes{};
  };

  bool poll(int wait_ms, int wake);
  void accept_from(int listener);
  Next hear(Pending& connection);

  std::vector<FileDescriptor> listeners_;
  Limits limits_;
  Greet greet_;
  SteadyClock clock_;
  std::list<Pending> pending_;  // oldest first
  std::vector<bool> ready_;     // of the listeners, after poll()
  bool starved_ = false;
};

}  // namespace linerate
