// See mesh.h.
#include "backends/gloo/mesh.h"

#include "base/error.h"

#include <fmt/format.h>

#include <gloo/common/error.h>
#include <gloo/transport/address.h>

#include <chrono>
#include <utility>
#include <vector>

namespace linerate::gloo {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kForever = std::chrono::hours(24 * 365);
constexpr int kConnectTimeouts = 5;  // Gloo waits for a connection so many times its timeout
constexpr milliseconds kLongestConnect = std::chrono::hours(20);

// A group of connections under the name that Gloo's algorithms know.
class ConnectedContext final : public ::gloo::Context {
 public:
  ConnectedContext(const Seat& seat, std::shared_ptr<Links> links)
      : ::gloo::Context(seat.rank, seat.nranks) {
    device_ = seat.device;
    transportContext_ = std::move(links);
    setTimeout(kForever);
  }
};

milliseconds connect_timeout(const Deadline& deadline) {
  if (!deadline.bounded()) return kLongestConnect;
  return milliseconds(deadline.poll_ms() / kConnectTimeouts + 1);
}

// A rank has no address for itself: its card leaves it out.
std::size_t place_on_card(int of, int card_owner) {
  return static_cast<std::size_t>(of < card_owner ? of : of - 1);
}

}  // namespace

Mesh::Mesh(const Seat& seat, const Deadline& deadline)
    : seat_(seat),
      deadline_(deadline),
      links_(std::make_shared<Links>(*seat.device, seat.rank, seat.nranks)) {
  links_->limit_waits(connect_timeout(deadline));
  for (int peer = 0; peer < seat.nranks; ++peer)
    if (peer != seat.rank) links_->createPair(peer);
}

std::size_t Mesh::most_card_bytes(int nranks) {
  return static_cast<std::size_t>(nranks - 1) * ::gloo::transport::Address::kMaxByteSize;
}

Bytes Mesh::card() const {
  Bytes card;
  for (int peer = 0; peer < seat_.nranks; ++peer) {
    if (peer == seat_.rank) continue;
    const auto address = links_->getPair(peer)->address().bytes();
    const auto bytes = std::as_bytes(std::span(address));
    card.insert(card.end(), bytes.begin(), bytes.end());
  }
  return card;
}

void Mesh::connect(std::span<const Bytes> cards) {
  for (int peer = 0; peer < seat_.nranks; ++peer)
    if (peer != seat_.rank) connect_to(peer, cards);
  links_->limit_waits(kForever);
  context_ = std::make_shared<ConnectedContext>(seat_, links_);
}

void Mesh::connect_to(int peer, std::span<const Bytes> cards) {
  const auto in_vain = [&] {
    return TimeoutError(
        fmt::format("Gloo: rank {} waited in vain for rank {} to connect.", seat_.rank, peer));
  };
  if (deadline_.passed()) throw in_vain();  // each wait has a limit of its own
  const auto& card = cards[static_cast<std::size_t>(peer)];
  if (card.size() != cards[static_cast<std::size_t>(seat_.rank)].size())
    throw PeerFailure(fmt::format("Rank {} runs another build of Gloo.", peer), {peer});
  const std::size_t one = card.size() / static_cast<std::size_t>(seat_.nranks - 1);
  const auto* const at =
      reinterpret_cast<const char*>(card.data()) + one * place_on_card(seat_.rank, peer);
  try {
    links_->getPair(peer)->connect(std::vector<char>(at, at + one));
  } catch (const ::gloo::IoException&) {
    if (!deadline_.passed()) throw;
    throw in_vain();
  }
}

}  // namespace linerate::gloo
