// A connection between each two ranks of a group, as Gloo's algorithms want it: Gloo's TCP
// transport with a way to end calls that wait.
#pragma once

#include "base/clock.h"
#include "comm/bootstrap.h"

#include <gloo/context.h>
#include <gloo/transport/context.h>
#include <gloo/transport/device.h>
#include <gloo/transport/tcp/device.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace linerate::gloo {

// One rank's connections to the others: Gloo's, but for the buffers of its calls. Gloo 0.5.0 ends a
// wait when a connection breaks between two messages, but not within one, and not at another
// thread's wish (transport/tcp/pair.cc, signalException). Therefore every buffer that its
// algorithms or ours create is known here, and abort() reaches the one that is waited for.
class Links final : public ::gloo::transport::Context {
 public:
  Links(::gloo::transport::Device& device, int own_rank, int nranks);

  std::unique_ptr<::gloo::transport::Pair>& getPair(int peer) override;
  std::unique_ptr<::gloo::transport::Pair>& createPair(int peer) override;
  // Throws Aborted after abort().
  std::unique_ptr<::gloo::transport::UnboundBuffer> createUnboundBuffer(void* data,
                                                                        size_t bytes) override;

  // Of later pairs' connecting, and of each wait whose caller sets none.
  void limit_waits(std::chrono::milliseconds timeout) { tcp_->setTimeout(timeout); }

  // Calls of this rank that wait, and later ones, throw Aborted; those of others that wait for it
  // PeerFailure. Any thread; never waits long.
  void abort() noexcept;
  void throw_if_aborted() const;

 private:
  class KnownBuffer;
  void add(KnownBuffer* buffer);
  void remove(KnownBuffer* buffer) noexcept;

  std::shared_ptr<::gloo::transport::Context> tcp_;
  mutable std::mutex known_mutex_;
  bool aborted_ = false;
  std::vector<KnownBuffer*> known_;
};

using TcpDevice = ::gloo::transport::tcp::Device;

// One rank's place in a group; the device is its process'.
struct GroupRank {
  std::shared_ptr<TcpDevice> device;
  int rank = 0;
  int nranks = 1;
};

// Made in two steps, between which all ranks exchange their addresses.
class Mesh {
 public:
  // Listens for every other rank. Throws Gloo's exceptions, as connect() does.
  Mesh(const GroupRank& own, const Deadline& deadline);

  // Where this rank listens for each other one, in their order; as long on every rank.
  Bytes addresses() const;
  // At most so many bytes in a group of so many ranks.
  static std::size_t max_address_bytes(int nranks);

  // `all_addresses` are those of all ranks, by rank. Waits for each of them, and for none beyond
  // the deadline of the constructor: TimeoutError names it.
  void connect(std::span<const Bytes> all_addresses);

  const GroupRank& own() const { return own_; }
  // What Gloo's algorithms take. REQUIRES: connect() has returned. Waits in it have no limit of
  // their own: hangs are ended by the watch.
  const std::shared_ptr<::gloo::Context>& context() const { return context_; }
  Links& links() const { return *links_; }

 private:
  void connect_to(int peer, std::span<const Bytes> all_addresses);

  GroupRank own_;
  Deadline deadline_;
  std::shared_ptr<Links> links_;
  std::shared_ptr<::gloo::Context> context_;
};

}  // namespace linerate::gloo
