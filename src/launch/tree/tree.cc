// All links are polled while one of them is waited for, so that failures are heard at once.
#include "launch/tree/tree.h"

#include "base/error.h"

#include <fmt/format.h>

#include <poll.h>

#include <algorithm>
#include <bit>
#include <cassert>
#include <cerrno>

namespace linerate {
namespace {

// Members give up one after the other, those nearest to the leaves first: so the one that knows
// which rank is missing tells the others before they blame a neighbour that only waits itself.
constexpr double kStepS = 0.05;

int depth(int rank) { return std::bit_width(static_cast<unsigned>(rank) + 1) - 1; }

}  // namespace

// A deadline, and the time that is left to those who know better.
struct Tree::LongerDeadline {
  const Wait& wait;
  double extra_s;
  SteadyClock clock{};
  std::optional<Deadline> extra{};

  bool over() {
    if (!wait.deadline.passed()) return false;
    if (extra_s <= 0) return true;
    if (!extra) extra = Deadline::after(clock, extra_s);
    return extra->passed();
  }
  int poll_ms() const { return extra ? extra->poll_ms() : wait.deadline.poll_ms(); }
};

Tree::Tree(int rank, int nranks, std::vector<TreeLink> links)
    : rank_(rank), nranks_(nranks), links_(std::move(links)) {}

Tree::~Tree() {
  for (auto& link : links_) link.send_last(FrameType::bye, {});
}

bool Tree::has_link(int peer) const {
  return std::ranges::find(links_, peer, &TreeLink::rank) != links_.end();
}

TreeLink& Tree::link(int peer) {
  const auto found = std::ranges::find(links_, peer, &TreeLink::rank);
  assert(found != links_.end());
  return *found;
}

// How many levels may lie between the neighbour and the rank that it waits for itself.
int Tree::levels_behind(int peer) const {
  const int height = depth(nranks_ - 1);
  return peer > rank_ ? height - depth(peer) : height + depth(rank_);
}

void Tree::fail(JobFailure failure) {
  broken_ = std::move(failure);
  const auto packed = pack_failure(*broken_);
  for (auto& link : links_) link.send_last(FrameType::failed, packed);
  broken_->raise();
}

void Tree::hear(const TreeLink& target) {
  for (const auto& link : links_)
    if (link.failure()) fail(*link.failure());
  if (target.has_left() && !target.open())
    fail(JobFailure::lost(fmt::format("{} has left the job", target.name()), {target.rank()}));
}

void Tree::wait_for_news(TreeLink& target, LongerDeadline& deadline) {
  hear(target);
  if (deadline.over())
    fail(JobFailure::timed_out(
        fmt::format("timed out in {}: {} has not arrived", deadline.wait.what, target.name())));
  std::vector<pollfd> polled;
  for (const auto& link : links_) {
    const bool writing = &link == &target && !link.done();
    polled.push_back(
        {link.open() ? link.fd() : -1, static_cast<short>(writing ? POLLIN | POLLOUT : POLLIN), 0});
  }
  if (::poll(polled.data(), polled.size(), deadline.poll_ms()) < 0 && errno != EINTR)
    throw SystemError(errno, "poll");
  for (std::size_t i = 0; i < links_.size(); ++i)
    if ((polled[i].revents & ~POLLOUT) != 0) links_[i].pump();
}

void Tree::send_frame(TreeLink& to, FrameType type, std::span<const std::byte> payload,
                      LongerDeadline& deadline) {
  to.begin(type, payload);
  for (to.write(); !to.done(); to.write()) wait_for_news(to, deadline);
}

void Tree::send(int peer, std::span<const std::byte> message, const Wait& wait) {
  if (broken_) broken_->raise();
  if (message.size() > TreeLink::kMaxMessageBytes)
    throw Error(fmt::format("a message of {} bytes is more than the processes can pass on in {}",
                            message.size(), wait.what));
  auto& to = link(peer);
  LongerDeadline deadline{.wait = wait, .extra_s = kStepS * levels_behind(peer)};
  hear(to);
  if (to.eager(message.size())) return send_frame(to, FrameType::data, message, deadline);
  send_frame(to, FrameType::offer, {}, deadline);
  for (to.pump(); !to.may_send_body(); wait_for_news(to, deadline)) {
  }
  send_frame(to, FrameType::body, message, deadline);
}

Bytes Tree::receive(int peer, const Wait& wait) {
  if (broken_) broken_->raise();
  auto& from = link(peer);
  LongerDeadline deadline{.wait = wait, .extra_s = kStepS * levels_behind(peer)};
  for (from.pump();; wait_for_news(from, deadline)) {
    if (auto message = from.take_message()) return std::move(*message);
    if (from.offered()) send_frame(from, FrameType::go, {}, deadline);
  }
}

}  // namespace linerate
