// A connection between each two ranks of a group, as Gloo's algorithms want it.
#pragma once

#include "backends/gloo/links.h"
#include "base/clock.h"
#include "comm/bootstrap.h"

#include <gloo/context.h>
#include <gloo/transport/tcp/device.h>

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace linerate::gloo {

using TcpDevice = ::gloo::transport::tcp::Device;

// One rank's place in a group; the device is its process'.
struct Seat {
  std::shared_ptr<TcpDevice> device;
  int rank = 0;
  int nranks = 1;
};

// Made in two steps, between which all ranks exchange their cards.
class Mesh {
 public:
  // Listens for every other rank. Throws Gloo's exceptions, as connect() does.
  Mesh(const Seat& seat, const Deadline& deadline);

  // Where this rank listens for each other one, in their order; as long on every rank.
  Bytes card() const;
  // No card of a group of so many ranks is longer.
  static std::size_t most_card_bytes(int nranks);

  // `cards` are those of all ranks, by rank. Waits for each of them, and for none beyond the
  // deadline of the constructor: TimeoutError names it.
  void connect(std::span<const Bytes> cards);

  const Seat& seat() const { return seat_; }
  // What Gloo's algorithms take. REQUIRES: connect() has returned. Waits in it have no limit of
  // their own: hangs are ended by the watch.
  const std::shared_ptr<::gloo::Context>& context() const { return context_; }
  Links& links() const { return *links_; }

 private:
  void connect_to(int peer, std::span<const Bytes> cards);

  Seat seat_;
  Deadline deadline_;
  std::shared_ptr<Links> links_;
  std::shared_ptr<::gloo::Context> context_;
};

}  // namespace linerate::gloo
