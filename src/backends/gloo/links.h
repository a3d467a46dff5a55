// Gloo's TCP transport with a way to end calls that wait.
#pragma once

#include <gloo/transport/context.h>
#include <gloo/transport/device.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
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
  // Throws PeerFailure after abort().
  std::unique_ptr<::gloo::transport::UnboundBuffer> createUnboundBuffer(void* data,
                                                                        size_t bytes) override;

  // Of later pairs' connecting, and of each wait whose caller sets none.
  void limit_waits(std::chrono::milliseconds timeout) { tcp_->setTimeout(timeout); }

  // Calls that wait on this rank, and later ones, throw PeerFailure. Any thread; never waits long.
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

}  // namespace linerate::gloo
