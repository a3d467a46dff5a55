// See links.h.
#include "backends/gloo/links.h"

#include "base/error.h"

#include <gloo/transport/unbound_buffer.h>

#include <cstdint>
#include <utility>

namespace linerate::gloo {
namespace {

using ::gloo::transport::UnboundBuffer;

[[noreturn]] void throw_aborted() { throw PeerFailure("The communicator was aborted."); }

}  // namespace

class Links::KnownBuffer final : public UnboundBuffer {
 public:
  // `links` outlives the buffer, as it outlives every call.
  KnownBuffer(Links& links, std::unique_ptr<UnboundBuffer> buffer)
      : UnboundBuffer(buffer->ptr, buffer->size), links_(links), buffer_(std::move(buffer)) {
    links_.add(this);
  }
  ~KnownBuffer() override { links_.remove(this); }

  bool waitRecv(int* rank, std::chrono::milliseconds timeout) override {
    if (!buffer_->waitRecv(rank, timeout)) throw_aborted();
    return true;
  }
  bool waitSend(int* rank, std::chrono::milliseconds timeout) override {
    if (!buffer_->waitSend(rank, timeout)) throw_aborted();
    return true;
  }
  void abortWaitRecv() override { buffer_->abortWaitRecv(); }
  void abortWaitSend() override { buffer_->abortWaitSend(); }

  void send(int dest, uint64_t slot, size_t offset, size_t bytes) override {
    buffer_->send(dest, slot, offset, bytes);
  }
  void recv(int source, uint64_t slot, size_t offset, size_t bytes) override {
    buffer_->recv(source, slot, offset, bytes);
  }
  void recv(std::vector<int> sources, uint64_t slot, size_t offset, size_t bytes) override {
    buffer_->recv(std::move(sources), slot, offset, bytes);
  }

 private:
  Links& links_;
  std::unique_ptr<UnboundBuffer> buffer_;
};

Links::Links(::gloo::transport::Device& device, int own_rank, int nranks)
    : Context(own_rank, nranks), tcp_(device.createContext(own_rank, nranks)) {}

std::unique_ptr<::gloo::transport::Pair>& Links::getPair(int peer) { return tcp_->getPair(peer); }

std::unique_ptr<::gloo::transport::Pair>& Links::createPair(int peer) {
  return tcp_->createPair(peer);
}

std::unique_ptr<UnboundBuffer> Links::createUnboundBuffer(void* data, size_t bytes) {
  return std::make_unique<KnownBuffer>(*this, tcp_->createUnboundBuffer(data, bytes));
}

void Links::add(KnownBuffer* buffer) {
  const std::lock_guard lock(known_mutex_);
  if (aborted_) throw_aborted();
  known_.push_back(buffer);
}

void Links::remove(KnownBuffer* buffer) noexcept {
  const std::lock_guard lock(known_mutex_);
  std::erase(known_, buffer);
}

void Links::abort() noexcept {
  const std::lock_guard lock(known_mutex_);
  aborted_ = true;
  for (auto* buffer : known_) {
    buffer->abortWaitRecv();
    buffer->abortWaitSend();
  }
}

void Links::throw_if_aborted() const {
  const std::lock_guard lock(known_mutex_);
  if (aborted_) throw_aborted();
}

}  // namespace linerate::gloo
