#include "backends/fake/fake_backend.h"

#include "backends/fake/fake_communicator.h"
#include "backends/fake/fake_device.h"
#include "backends/fake/rendezvous.h"
#include "base/error.h"
#include "base/wire.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <map>
#include <mutex>
#include <numeric>

namespace linerate::fake {
namespace {

// How members of one process find the rendezvous that their rank 0 made.
struct Ticket {
  std::int64_t pid = 0;
  std::uint64_t number = 0;
};

class FakeBackend final : public Backend {
 public:
  explicit FakeBackend(const FakeOptions& options) : options_(options) {}

  std::string_view name() const override { return "fake"; }
  std::string version() const override { return "virtual clock"; }
  Capabilities capabilities() const override { return {}; }
  std::unique_ptr<Device> open_device(int local_index) override {
    return std::make_unique<FakeDevice>(local_index);
  }

  std::vector<std::unique_ptr<Communicator>> connect(Bootstrap& bootstrap,
                                                     std::span<Device* const> local,
                                                     const ConnectOptions& options) override {
    assert(local.size() == 1);
    auto* device = dynamic_cast<FakeDevice*>(local[0]);
    if (device == nullptr) throw Error("The fake backend works on its own devices only.");
    std::vector<std::unique_ptr<Communicator>> made;
    made.push_back(std::make_unique<FakeCommunicator>(find_rendezvous(bootstrap, options.deadline),
                                                      bootstrap.rank(), *device));
    return made;
  }

 private:
  std::shared_ptr<Rendezvous> find_rendezvous(Bootstrap& bootstrap, const Deadline& deadline) {
    Ticket mine{};
    if (bootstrap.rank() == 0) mine = open_rendezvous(bootstrap.nranks());
    const auto ticket = value_of_rank_0(bootstrap, mine, deadline);

    std::shared_ptr<Rendezvous> found;
    if (ticket.pid == getpid()) {
      const std::lock_guard lock(mutex_);
      const auto place = forming_.find(ticket.number);
      if (place != forming_.end()) found = place->second;
    }
    const auto all = all_values<char>(bootstrap, found != nullptr, deadline);
    if (bootstrap.rank() == 0) {
      const std::lock_guard lock(mutex_);
      forming_.erase(ticket.number);
    }
    if (std::ranges::count(all, 0) > 0)
      throw Unavailable(
          "The fake backend runs all ranks as threads of one process: start one process, with -t.");
    return found;
  }

  Ticket open_rendezvous(int nranks) {
    std::vector<int> ranks(static_cast<std::size_t>(nranks));
    std::iota(ranks.begin(), ranks.end(), 0);
    const std::lock_guard lock(mutex_);
    const Ticket ticket{.pid = getpid(), .number = ntickets_++};
    // The stream is a constant: the same run draws the same numbers, however many communicators
    // there were before.
    forming_[ticket.number] = std::make_shared<Rendezvous>(options_, ranks, std::uint64_t{0});
    return ticket;
  }

  const FakeOptions options_;
  std::mutex mutex_;
  std::uint64_t ntickets_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Rendezvous>> forming_;
};

}  // namespace
}  // namespace linerate::fake

namespace linerate {

std::unique_ptr<Backend> make_fake_backend(const FakeOptions& options) {
  return std::make_unique<fake::FakeBackend>(options);
}

}  // namespace linerate
