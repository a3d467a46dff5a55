#include "backends/gloo/mesh.h"

#include "base/error.h"

#include <fmt/format.h>

#include <gloo/common/error.h>
#include <gloo/transport/address.h>
#include <gloo/transport/unbound_buffer.h>

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

namespace linerate::gloo {
namespace {

using ::gloo::transport::UnboundBuffer;

[[noreturn]] void throw_aborted() { throw Aborted("The communicator was aborted."); }

using std::chrono::milliseconds;

constexpr milliseconds kForever = std::chrono::hours(24 * 365);
constexpr int kConnectTimeouts = 5;  // Gloo waits for a connection so many times its timeout
constexpr milliseconds kLongestConnect = std::chrono::hours(20);

// A group of connections under the name that Gloo's algorithms know.
class ConnectedContext final : public ::gloo::Context {
 public:
  ConnectedContext(const GroupRank& own, std::shared_ptr<Links> links)
      : ::gloo::Context(own.rank, own.nranks) {
    device_ = own.device;
    transportContext_ = std::move(links);
    setTimeout(kForever);
  }
};

milliseconds connect_timeout(const Deadline& deadline) {
  if (!deadline.bounded()) return kLongestConnect;
  return milliseconds(deadline.poll_ms() / kConnectTimeouts + 1);
}

// Where the address for rank `of` is among those of `owner`, which has none for itself.
std::size_t index_in(int of, int owner) {
  return static_cast<std::size_t>(of < owner ? of : of - 1);
}

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

Mesh::Mesh(const GroupRank& own, const Deadline& deadline)
    : own_(own),
      deadline_(deadline),
      links_(std::make_shared<Links>(*own.device, own.rank, own.nranks)) {
  links_->limit_waits(connect_timeout(deadline));
  for (int peer = 0; peer < own.nranks; ++peer)
    if (peer != own.rank) links_->createPair(peer);
}

std::size_t Mesh::max_address_bytes(int nranks) {
  return static_cast<std::size_t>(nranks - 1) * ::gloo::transport::Address::kMaxByteSize;
}

Bytes Mesh::addresses() const {
  Bytes addresses;
  for (int peer = 0; peer < own_.nranks; ++peer) {
    if (peer == own_.rank) continue;
    const auto address = links_->getPair(peer)->address().bytes();
    const auto bytes = std::as_bytes(std::span(address));
    addresses.insert(addresses.end(), bytes.begin(), bytes.end());
  }
  return addresses;
}

void Mesh::connect(std::span<const Bytes> all_addresses) {
  for (int peer = 0; peer < own_.nranks; ++peer)
    if (peer != own_.rank) connect_to(peer, all_addresses);
  links_->limit_waits(kForever);
  context_ = std::make_shared<ConnectedContext>(own_, links_);
}

void Mesh::connect_to(int peer, std::span<const Bytes> all_addresses) {
  const auto in_vain = [&] {
    return TimeoutError(
        fmt::format("Gloo: rank {} waited in vain for rank {} to connect.", own_.rank, peer));
  };
  if (deadline_.passed()) throw in_vain();  // each wait has a limit of its own
  const auto& addresses = all_addresses[static_cast<std::size_t>(peer)];
  if (addresses.size() != all_addresses[static_cast<std::size_t>(own_.rank)].size())
    throw PeerFailure(fmt::format("Rank {} runs another build of Gloo.", peer), {peer});
  const std::size_t one = addresses.size() / static_cast<std::size_t>(own_.nranks - 1);
  const auto* const at =
      reinterpret_cast<const char*>(addresses.data()) + one * index_in(own_.rank, peer);
  try {
    links_->getPair(peer)->connect(std::vector<char>(at, at + one));
  } catch (const ::gloo::IoException&) {
    if (!deadline_.passed()) throw;
    throw in_vain();
  }
}

}  // namespace linerate::gloo
