// Losses are flooded to all neighbours; every process draws the same report from them.
#include "launch/watch/protocol.h"

#include "base/log.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

namespace linerate {
namespace {

constexpr std::int64_t kSecondNs = 1'000'000'000;
// Processes that die together are noticed within this time of each other, on a busy host too.
constexpr std::int64_t kSettleNs = kSecondNs / 5;
// So a hang is noticed at most a quarter later than its time is up.
constexpr int kLooksPerTimeout = 4;
constexpr double kRareLooksS = 300;  // where there is no timeout, but for single stages
// A watch that runs so much later than it wanted was stopped: half of the timeout, but more than
// the scheduler of a crowded host takes, and less than anybody stops a job for.
constexpr double kMinLateS = 0.5;
constexpr double kMaxLateS = 5;

std::int64_t now() { return SteadyClock().now_ns(); }

// The connection ended because nothing comes through, not because the other side ended it.
bool is_unreachable(int reason) {
  return reason == ETIMEDOUT || reason == EHOSTUNREACH || reason == ENETUNREACH ||
         reason == ENETDOWN || reason == EHOSTDOWN;
}

}  // namespace

ControlProtocol::ControlProtocol(ControlParts parts, double timeout_s, CallCounts calls_of)
    : parts_(std::move(parts)),
      timeout_s_(timeout_s),
      calls_of_(std::move(calls_of)),
      headways_(static_cast<std::size_t>(parts_.mine().nthreads)),
      looked_ns_(now()) {
  for (auto& link : parts_.links) neighbours_.push_back({.link = std::move(link)});
  parts_.links.clear();
  for (const int process : parts_.gone) on_exit(process);
}

void ControlProtocol::enter(int thread, const Stage& stage) {
  Stage bounded = stage;
  if (bounded.timeout_s <= 0) bounded.timeout_s = timeout_s_;
  parts_.page.enter(parts_.slot_of(parts_.self), static_cast<std::size_t>(thread), bounded);
}

std::vector<pollfd> ControlProtocol::sources() const {
  std::vector<pollfd> items;
  for (const auto& exit : parts_.exits) items.push_back({exit.pidfd.get(), POLLIN, 0});
  for (const auto& neighbour : neighbours_) {
    const bool writes = neighbour.link.has_unsent();
    items.push_back(
        {neighbour.link.fd(), static_cast<short>(writes ? POLLIN | POLLOUT : POLLIN), 0});
  }
  return items;
}

std::optional<std::int64_t> ControlProtocol::next_due_ns() const {
  if (report_ || left_) return std::nullopt;
  if (!losses_.empty()) return first_loss_ns_ + kSettleNs;
  if (pending_) return pending_end_ns();
  const double timeout_s = timeout_s_ > 0 ? std::min(timeout_s_, kRareLooksS) : kRareLooksS;
  const auto next_look_ns =
      looked_ns_ + static_cast<std::int64_t>(timeout_s / kLooksPerTimeout * 1e9);
  return std::min(next_look_ns, first_limit_ns().value_or(next_look_ns));
}

void ControlProtocol::notice_own_stop(std::int64_t now_ns, std::optional<std::int64_t> due_ns) {
  const auto late_s = std::clamp(timeout_s_ / 2, kMinLateS, kMaxLateS);
  if (!due_ns || now_ns - *due_ns < static_cast<std::int64_t>(late_s * 1e9)) return;
  resumed_ns_ = now_ns;
  if (pending_ && pending_->via < 0) pending_.reset();
}

void ControlProtocol::react(const std::vector<pollfd>& items, std::optional<std::int64_t> due_ns) {
  const auto woken_ns = now();
  notice_own_stop(woken_ns, due_ns);
  std::vector<int> exited;
  for (std::size_t i = 0; i < parts_.exits.size() && i < items.size(); ++i)
    if (items[i].revents != 0) exited.push_back(parts_.exits[i].process);
  for (auto& neighbour : neighbours_) {
    neighbour.link.flush();
    read(neighbour);
  }
  std::erase_if(neighbours_, [](const auto& neighbour) { return neighbour.link.broken(); });
  for (const int process : exited) on_exit(process);
  std::erase_if(parts_.exits, [&](const auto& exit) {
    return std::ranges::find(exited, exit.process) != exited.end();
  });

  // The stop may come at any line: a look goes by this time, and the next is due so long after it.
  looked_ns_ = now();
  const auto now_ns = looked_ns_;
  notice_own_stop(now_ns, woken_ns);
  if (report_ || left_) return;
  if (!losses_.empty()) {
    if (now_ns >= first_loss_ns_ + kSettleNs) draw_report();
    return;
  }
  look_at_inquiry(now_ns);
  look_at_threads(now_ns);
}

void ControlProtocol::read(Neighbour& neighbour) {
  for (const auto& message : neighbour.link.receive())
    std::visit([&](const auto& alternative) { take(neighbour, alternative); }, message);
  if (neighbour.link.broken() && neighbour.presence == Presence::running) on_broken(neighbour.link);
}

void ControlProtocol::take(Neighbour& from, const LostMessage& message) {
  lose(message.losses, from.link.peer());
}

void ControlProtocol::take(Neighbour& from, const LeaveMessage& message) {
  from.presence = message.presence;
  from.link.send(LeaveSeenMessage{});
}

void ControlProtocol::take(Neighbour& from, const LeaveSeenMessage&) { from.leave_seen = true; }

void ControlProtocol::on_broken(const ControlLink& link) {
  if (presence_of(link.peer()) != Presence::running || left_ || report_) return;
  const auto& peer = parts_.processes[static_cast<std::size_t>(link.peer())];
  if (link.reason() == EPROTO) {
    say(fmt::format("note: {} sent what is no message; its link is closed",
                    subject(peer, ranks_of(peer))));
  } else if (is_unreachable(link.reason())) {
    lose_node(peer.node, link.reason());
  } else {
    lose({death(peer, parts_.self, last_stage(peer.process))});
  }
}

void ControlProtocol::on_exit(int process) {
  if (presence_of(process) != Presence::running || left_ || report_) return;
  const auto& other = parts_.processes[static_cast<std::size_t>(process)];
  lose({death(other, parts_.self, last_stage(process))});
}

// A host that is gone takes all its processes with it; their other neighbours see the same.
void ControlProtocol::lose_node(int node, int reason) {
  std::vector<LostProcess> losses;
  for (const auto& other : parts_.processes)
    if (other.node == node)
      losses.push_back(unreachable(other, parts_.self, last_stage(parts_.self), reason));
  lose(losses);
}

void ControlProtocol::lose(const std::vector<LostProcess>& losses, int except) {
  const bool first = losses_.empty();
  LostMessage news;
  for (const auto& loss : losses)
    if (losses_.add(loss)) news.losses.push_back(loss);
  if (news.losses.empty()) return;
  if (first) first_loss_ns_ = now();
  send_to_others(news, except);
}

void ControlProtocol::send_to_others(const ControlMessage& message, int except) {
  for (auto& neighbour : neighbours_)
    if (neighbour.link.peer() != except) neighbour.link.send(message);
}

void ControlProtocol::draw_report() {
  report_ = losses_.verdict();
  // From here on this process ends because of the others: its own end is no further loss.
  say_leave(Presence::ending);
}

void ControlProtocol::say_leave(Presence presence) {
  parts_.page.set_presence(parts_.slot_of(parts_.self), presence);
  send_to_others(LeaveMessage{presence});
}

void ControlProtocol::fail(const std::string& sentence) {
  if (!left_ && !report_) lose({own_failure(parts_.mine(), sentence)});
}

void ControlProtocol::leave() {
  left_ = true;
  say_leave(losses_.empty() ? Presence::left : Presence::ending);
}

bool ControlProtocol::leave_seen() const {
  return std::ranges::all_of(neighbours_, &Neighbour::leave_seen);
}

bool ControlProtocol::has_unsent() const {
  return std::ranges::any_of(neighbours_,
                             [](const auto& neighbour) { return neighbour.link.has_unsent(); });
}

bool ControlProtocol::speaks_for_all(const std::vector<LostProcess>& losses) const {
  for (const auto& other : parts_.processes) {
    const bool lost = std::ranges::any_of(
        losses, [&](const LostProcess& loss) { return loss.process == other.process; });
    if (!lost && presence_of(other.process) != Presence::left) return other.process == parts_.self;
  }
  return losses.front().process == parts_.self && losses.front().kind != LostProcessKind::failed;
}

std::vector<ThreadStatus> ControlProtocol::threads_of(int process, std::int64_t now_ns) const {
  std::vector<ThreadStatus> threads;
  for (int thread = 0; thread < parts_.processes[static_cast<std::size_t>(process)].nthreads;
       ++thread) {
    threads.push_back(
        parts_.page.thread(parts_.slot_of(process), static_cast<std::size_t>(thread)));
    threads.back().entered_ns = now_ns - threads.back().entered_ns;
  }
  return threads;
}

// Of a process of this node its own, where its threads had come the least far; of others, which
// cannot be seen any more, what this process itself is doing.
ThreadStatus ControlProtocol::last_stage(int process) const {
  const bool seen = process == parts_.self || parts_.shares(process);
  const auto threads = threads_of(seen ? process : parts_.self, now());
  return std::ranges::min(threads, {}, &ThreadStatus::counter);
}

// As far as it can be known here: neighbours say so, and processes of this node leave a mark.
Presence ControlProtocol::presence_of(int process) const {
  if (process != parts_.self && parts_.shares(process)) {
    const auto presence = parts_.page.presence(parts_.slot_of(process));
    if (presence != Presence::running) return presence;
  }
  for (const auto& neighbour : neighbours_)
    if (neighbour.link.peer() == process) return neighbour.presence;
  return Presence::running;
}

}  // namespace linerate
