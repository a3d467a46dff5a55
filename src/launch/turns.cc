// A program says hello with the keeper's secret and its side, then asks with one byte for each
// turn and is granted it with one.
#include "launch/turns.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "base/unix_socket.h"
#include "launch/quiet_thread.h"

#include <fmt/format.h>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <optional>
#include <random>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace linerate {
namespace {

constexpr std::size_t kSecretDigits = 16, kMostSides = 16;
constexpr int kLookMs = 200;
constexpr std::byte kAsk{'a'};

using Hello = std::array<std::byte, kSecretDigits + 1>;  // the secret and the side

Hello hello_of(std::string_view secret, std::size_t side) {
  Hello hello{};
  std::ranges::transform(secret, hello.begin(), [](char c) { return std::byte(c); });
  hello.back() = std::byte(side);
  return hello;
}

std::string random_digits() {
  std::random_device source;
  return fmt::format("{:08x}{:08x}", source(), source());
}

// "NAME:SECRET:SIDE"
struct Address {
  std::string name{}, secret{};
  std::size_t side = 0;
};

std::optional<Address> address_from(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() != 3 || parts[0].empty() || parts[1].size() != kSecretDigits) return {};
  Address address{.name = parts[0], .secret = parts[1]};
  const auto* end = parts[2].data() + parts[2].size();
  const auto read = std::from_chars(parts[2].data(), end, address.side);
  if (read.ec != std::errc{} || read.ptr != end || address.side >= kMostSides) return {};
  return address;
}

enum class Ready : std::uint8_t { yes, not_yet, closed };

// Takes one byte, if there is one.
Ready take_byte(int fd) {
  std::byte byte{};
  const auto got = ::recv(fd, &byte, 1, 0);
  if (got == 1) return Ready::yes;
  const bool later = got < 0 && (errno == EAGAIN || errno == EINTR);
  return later ? Ready::not_yet : Ready::closed;
}

bool send_byte(int fd) { return send_whole(fd, std::span(&kAsk, 1)); }

}  // namespace

std::unique_ptr<TurnTaker> TurnTaker::at(std::string_view address) {
  if (address.empty()) return nullptr;
  const auto read = address_from(address);
  if (!read)
    throw Error(fmt::format("LINERATE_TURNS '{}' is no address: linerate compare sets it, leave it "
                            "unset elsewhere.",
                            plain_text(address)),
                ExitCode::usage);
  auto keeper = connect_unix(read->name);
  if (!keeper || !send_whole(keeper.get(), hello_of(read->secret, read->side)))
    throw Error(
        "Nobody keeps turns where LINERATE_TURNS says: start this program on the host of "
        "linerate compare, and in its network namespace.",
        ExitCode::unavailable);
  return std::unique_ptr<TurnTaker>(new TurnTaker(std::move(keeper)));
}

void TurnTaker::next(const std::function<bool()>& interrupted) {
  if (!keeper_) return;
  if (!send_byte(keeper_.get())) keeper_ = {};
  while (keeper_ && !interrupted()) {
    pollfd granted{.fd = keeper_.get(), .events = POLLIN, .revents = 0};
    (void)::poll(&granted, 1, kLookMs);
    const auto ready = take_byte(keeper_.get());
    if (ready == Ready::yes) return;
    if (ready == Ready::closed) keeper_ = {};
  }
}

// Owned by the keeper's thread, but for what is atomic.
class TurnKeeper::Table {
 public:
  Table(std::size_t sides, std::size_t first)
      : secret_(random_digits()),
        name_("linerate-turns-" + random_digits()),
        listener_(listen_unix(name_)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
        sides_(sides),
        next_(first) {
    if (!listener_ || !wake_) throw SystemError(errno, "listening for turns");
  }
  ~Table() {
    stopping_ = true;
    wake();
    if (thread_.joinable()) thread_.join();
  }
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  std::string address(std::size_t side) const {
    return fmt::format("{}:{}:{}", name_, secret_, side);
  }
  void start() {
    thread_ = quiet_thread([this] { serve(); });
  }
  void ended(std::size_t side) {
    sides_[side].ended = true;
    wake();
  }
  bool asked(std::size_t side) const { return sides_[side].asked; }

 private:
  struct Side {
    FileDescriptor program{};  // empty: it has not come yet, or left
    bool waits = false;
    std::atomic<bool> asked = false, ended = false;
  };

  void wake() const {
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
  }

  void serve() {
    while (!stopping_) {
      wait();
      accept();
      for (auto& side : sides_) hear(side);
      grant();
    }
  }

  void wait() {
    std::vector<pollfd> items{{.fd = listener_.get(), .events = POLLIN, .revents = 0},
                              {.fd = wake_.get(), .events = POLLIN, .revents = 0}};
    for (const auto& side : sides_)
      items.push_back({.fd = side.program.get(), .events = POLLIN, .revents = 0});
    (void)::poll(items.data(), items.size(), -1);
    std::uint64_t count = 0;
    (void)!::read(wake_.get(), &count, sizeof count);
  }

  // Whoever does not know the secret is sent away.
  void accept() {
    FileDescriptor program(
        ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (!program) return;
    Hello hello{};
    constexpr double kSoonS = 1;
    if (!recv_whole(program.get(), hello, Deadline::after(clock_, kSoonS))) return;
    const auto side = std::to_integer<std::size_t>(hello.back());
    if (side >= sides_.size() || hello != hello_of(secret_, side)) return;
    sides_[side].program = std::move(program);
    sides_[side].waits = false;
  }

  static void hear(Side& side) {
    if (!side.program) return;
    const auto ready = take_byte(side.program.get());
    if (ready == Ready::yes) side.waits = side.asked = true;
    if (ready != Ready::closed) return;
    side.program = {};
    side.waits = false;
  }

  void grant() {
    const bool all =
        std::ranges::all_of(sides_, [](const Side& side) { return side.waits || side.ended; });
    if (!all) return;
    for (std::size_t i = 0; i < sides_.size(); ++i) {
      auto& side = sides_[(next_ + i) % sides_.size()];
      if (!side.waits) continue;
      side.waits = false;
      next_ = (next_ + i + 1) % sides_.size();
      (void)send_byte(side.program.get());  // hear() finds out where it is gone
      return;
    }
  }

  const std::string secret_, name_;
  SteadyClock clock_;
  FileDescriptor listener_, wake_;
  std::vector<Side> sides_;
  std::size_t next_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

TurnKeeper::TurnKeeper(std::size_t sides, std::size_t first)
    : table_(std::make_unique<Table>(sides, first)) {}
TurnKeeper::~TurnKeeper() = default;

std::string TurnKeeper::address(std::size_t side) const { return table_->address(side); }
void TurnKeeper::start() { table_->start(); }
void TurnKeeper::ended(std::size_t side) { table_->ended(side); }
bool TurnKeeper::asked(std::size_t side) const { return table_->asked(side); }

}  // namespace linerate
