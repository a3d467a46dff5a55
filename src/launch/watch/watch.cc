// The thread, and what other threads ask of it; what it makes of the news is protocol.h.
#include "launch/watch/watch.h"

#include "base/error.h"
#include "base/log.h"
#include "base/unix_socket.h"
#include "launch/quiet_thread.h"
#include "launch/watch/protocol.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <future>
#include <mutex>
#include <set>

namespace linerate {
namespace {

using std::chrono_literals::operator""s;
using std::chrono_literals::operator""ms;

constexpr auto kLongestFail = 2s;      // until the others know
constexpr auto kLongestLeave = 500ms;  // until the neighbours know; a stopped one never will
// A call only enqueues: what takes longer hangs, and nothing but the abort ends it.
constexpr auto kReturnTime = std::chrono::milliseconds(100);
constexpr std::int64_t kLastWordsNs = 200'000'000;  // to send what is unsent when the watch ends
constexpr std::size_t kMaxSentences = 8;

std::vector<int> ranks_in(const std::vector<LostProcess>& losses) {
  std::vector<int> ranks;
  for (const auto& loss : losses) ranks.insert(ranks.end(), loss.ranks.begin(), loss.ranks.end());
  std::ranges::sort(ranks);
  return ranks;
}

std::vector<std::string> sentences_of(const std::vector<LostProcess>& losses) {
  std::vector<std::string> sentences;
  const auto most = std::min(losses.size(), kMaxSentences);
  for (std::size_t i = 0; i < most; ++i) sentences.push_back(losses[i].sentence);
  if (most < losses.size()) {
    const auto more = ranks_in({losses.begin() + kMaxSentences, losses.end()});
    sentences.push_back(fmt::format("and so are ranks {}", rank_list(more)));
  }
  return sentences;
}

FailureReport report_of(const std::vector<LostProcess>& losses) {
  return {.ranks = ranks_in(losses),
          .sentences = sentences_of(losses),
          .timed_out = losses.front().kind == LostProcessKind::missing};
}

class WatchThread final : public Watch {
 public:
  WatchThread(Bootstrap& process, const Options& options)
      : process_(process),
        wake_(above_stdio(check_system(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd"))),
        counters_(static_cast<std::size_t>(options.nthreads)),
        protocol_(set_up_control(process, options), options.timeout_s,
                  [this](int thread) { return calls_of(thread); }),
        hang_report_(options.hang_report),
        at_end_(options.at_end) {
    thread_ = quiet_thread([this] { run(); });
  }
  ~WatchThread() override {
    ask([this] { stop_asked_ = true; });
    thread_.join();
  }

  void enter(int thread, const Stage& stage) override { protocol_.enter(thread, stage); }

  void add_aborter(Aborter aborter) override {
    {
      const std::lock_guard lock(aborters_mutex_);
      aborters_.push_back(std::move(aborter));
    }
    ask([] {});
  }

  void count_calls(int thread, std::function<std::uint64_t()> counter) override {
    const std::lock_guard lock(counters_mutex_);
    counters_[static_cast<std::size_t>(thread)] = std::move(counter);
  }

  std::optional<FailureReport> failure() const override {
    const std::lock_guard lock(mutex_);
    return report_;
  }

  void fail(const std::string& sentence) noexcept override {
    try {
      ask([&] { own_failure_ = sentence; });
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kLongestFail, [this] { return report_ || leave_asked_ || ended_; });
    } catch (const std::exception&) {
      say(sentence);
    }
  }

  void leave() noexcept override {
    try {
      ask([this] { leave_asked_ = true; });
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kLongestLeave, [this] { return leave_seen_ || ended_; });
    } catch (const std::exception& e) {
      say(e.what());
    }
  }

 private:
  template <typename Change>
  void ask(Change change) {
    {
      const std::lock_guard lock(mutex_);
      change();
    }
    (void)::eventfd_write(wake_.get(), 1);
  }

  void run() noexcept {
    try {
      while (!stop_asked()) {
        wait(next_due_ns());
        follow_requests();
        announce_deaths();
        publish();
        call_aborters();
        end_if_stuck();
      }
      follow_requests();  // one to leave may have come since, with the one to stop
      say_goodbye();
    } catch (const std::exception& e) {
      say(fmt::format("note: the watch over the other ranks ended: {}", e.what()));
    }
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  std::uint64_t calls_of(int thread) const {
    const std::lock_guard lock(counters_mutex_);
    const auto& counter = counters_[static_cast<std::size_t>(thread)];
    return counter ? counter() : 0;
  }

  bool stop_asked() const {
    const std::lock_guard lock(mutex_);
    return stop_asked_;
  }

  void wait(std::optional<std::int64_t> due_ns) {
    auto items = protocol_.sources();
    items.push_back({wake_.get(), POLLIN, 0});
    int wait_ms = -1;
    if (due_ns) {
      const auto left_ns = std::max<std::int64_t>(*due_ns - clock_.now_ns(), 0);
      wait_ms = static_cast<int>(std::min<std::int64_t>(left_ns / 1'000'000 + 1, 1'000'000'000));
    }
    if (::poll(items.data(), items.size(), wait_ms) < 0 && errno != EINTR)
      throw SystemError(errno, "poll");
    eventfd_t woken = 0;
    (void)::eventfd_read(wake_.get(), &woken);
    items.pop_back();
    protocol_.react(items, due_ns);
  }

  std::optional<std::int64_t> next_due_ns() const {
    if (grace_end_ns_) return grace_end_ns_;
    return protocol_.next_due_ns();
  }

  void follow_requests() {
    std::unique_lock lock(mutex_);
    const auto own_failure = std::exchange(own_failure_, std::nullopt);
    const bool leaves = leave_asked_ && !std::exchange(leaving_, leave_asked_);
    lock.unlock();
    if (own_failure) protocol_.fail(*own_failure);
    if (own_failure) own_sentence_ = *own_failure;
    if (leaves) protocol_.leave();
    if (!leaving_ || !protocol_.leave_seen()) return;
    lock.lock();
    leave_seen_ = true;
    changed_.notify_all();
  }

  // At once, before the report is drawn: a launcher may end this process in a moment.
  void announce_deaths() {
    const auto& losses = protocol_.losses();
    if (losses.empty() || protocol_.report() || leaving_) return;
    const auto known = losses.verdict();
    if (known.front().kind == LostProcessKind::died && known.size() <= kMaxSentences)
      announce(known);
  }

  void announce(const std::vector<LostProcess>& losses) {
    if (!protocol_.speaks_for_all(losses)) return;
    std::vector<LostProcess> news;
    for (const auto& loss : losses)
      if (announced_.insert(loss.process).second) news.push_back(loss);
    for (const auto& sentence : sentences_of(news)) say(sentence);
  }

  std::int64_t grace_end() const {
    return clock_.now_ns() + static_cast<std::int64_t>(kGraceS * 1e9);
  }

  void publish() {
    if (!protocol_.report() || grace_end_ns_ || leaving_) return;
    announce(*protocol_.report());
    tell_hang(*protocol_.report());
    grace_end_ns_ = grace_end();
    const std::lock_guard lock(mutex_);
    report_ = report_of(*protocol_.report());
    changed_.notify_all();
  }

  // Before the aborters: they end what could be asked.
  void tell_hang(const std::vector<LostProcess>& losses) {
    const bool hangs = losses.front().kind == LostProcessKind::missing;
    if (!hangs || !hang_report_ || !protocol_.speaks_for_all(losses)) return;
    if (const auto text = hang_report_(); !text.empty()) say(text);
  }

  // What is ended here has the time of grace from then on.
  void call_aborters() {
    if (!protocol_.report()) return;
    const std::lock_guard lock(aborters_mutex_);
    const auto aborters = std::exchange(aborters_, {});
    bool waits = false;
    for (const auto& aborter : aborters) waits |= aborter.stop && aborter.stop();
    if (waits) std::this_thread::sleep_for(kReturnTime);
    for (const auto& aborter : aborters) aborter.abort();
    if (waits && grace_end_ns_) grace_end_ns_ = grace_end();
  }

  void end_if_stuck() {
    if (!grace_end_ns_ || clock_.now_ns() < *grace_end_ns_) return;
    if (leaving_ || stop_asked()) return grace_end_ns_.reset();
    if (own_sentence_) say(*own_sentence_);  // the thread that would say it waits for a stuck one
    keep_last_records();
    process_.abort(ExitCode::lost);
  }

  // On a thread of its own: files may block, and the process ends all the same.
  void keep_last_records() noexcept try {
    if (!at_end_) return;
    const auto sentences = report_of(*protocol_.report()).sentences;
    const auto done = std::make_shared<std::promise<void>>();
    quiet_thread([at_end = at_end_, done, why = fmt::format("{}", fmt::join(sentences, " "))] {
      at_end(why);
      done->set_value();
    }).detach();
    (void)done->get_future().wait_for(std::chrono::duration<double>(kMaxLastRecordsS));
  } catch (const std::exception& e) {
    say(e.what());
  }

  // What was noticed a moment ago still reaches the others.
  void say_goodbye() {
    if (!protocol_.losses().empty()) {
      if (!leaving_) announce(protocol_.losses().verdict());
      protocol_.leave();
    }
    const auto end_ns = clock_.now_ns() + kLastWordsNs;
    while (protocol_.has_unsent() && clock_.now_ns() < end_ns) wait(end_ns);
  }

  Bootstrap& process_;
  SteadyClock clock_;
  FileDescriptor wake_;
  mutable std::mutex counters_mutex_;
  std::vector<std::function<std::uint64_t()>> counters_;  // of each thread
  ControlProtocol protocol_;                              // of the thread, but for enter()

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<std::string> own_failure_;
  std::optional<FailureReport> report_;
  bool leave_asked_ = false, leave_seen_ = false, stop_asked_ = false, ended_ = false;

  std::mutex aborters_mutex_;
  std::vector<Aborter> aborters_;

  // Of the thread alone.
  bool leaving_ = false;
  std::set<int> announced_;
  std::optional<std::int64_t> grace_end_ns_;
  std::optional<std::string> own_sentence_;  // of fail()
  const std::function<std::string()> hang_report_;
  const std::function<void(const std::string&)> at_end_;
  std::thread thread_;
};

}  // namespace

std::unique_ptr<Watch> Watch::start(Bootstrap& process, const Options& options) {
  return std::make_unique<WatchThread>(process, options);
}

}  // namespace linerate
