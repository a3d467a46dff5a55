// A call's time is a line over the least that it takes by a model, because that knows of caches and
// links what smaller sizes cannot tell.
#include "output/time_left.h"

#include "stats/summary.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace linerate {
namespace {

// Chosen on recorded sweeps (tests/unit/output/time_left_test.cc).
constexpr double kUsual = 1.5;     // a call's time over the least that it takes by the model
constexpr double kBelief = 0.5;    // in a rate that was not measured, against one measurement
constexpr double kFade = 0.8;      // weight of a measurement against that of the next one
constexpr double kNearness = 0.8;  // power of amount over largest that is a measurement's weight

constexpr std::size_t kLatest = 64;  // measurements that are kept: older ones would not count
constexpr double kBetween_s = 0.25;  // two blocks: to allocate, and to probe the machine
constexpr double kLong_s = 1;
constexpr double kShortest_s = 1e-9;
constexpr double kSmallest = 1e-15;   // amount
constexpr double kOfFilling = 0.5;    // the least that a call takes, over filling as much
constexpr double kUsualRate = 1e-10;  // seconds per byte, where nobody knows even that
constexpr double kAlike = 1e-9;       // amounts so much alike tell no rate

// 0 of none.
double usual(const std::deque<double>& all) {
  if (all.empty()) return 0;
  return stats::median({all.begin(), all.end()});
}

// What is slow now and then counts.
double mean(const std::deque<double>& some) {
  return std::accumulate(some.begin(), some.end(), 0.0) / static_cast<double>(some.size());
}

template <typename T>
void keep(std::deque<T>& latest, const T& value) {
  latest.push_back(value);
  if (latest.size() > kLatest) latest.pop_front();
}

double nearness(double amount, double largest) {
  if (largest <= 0) return 1;
  return std::pow(std::min(1.0, std::max(amount, kSmallest) / largest), kNearness);
}

}  // namespace

// With u = 1 / seconds and v = amount / seconds: what solves sum of (fixed u + rate v - 1)^2.
struct LinearCost::Sums {
  double u = 0, uu = 0, v = 0, vv = 0, uv = 0;

  double rate_alone() const { return vv > 0 ? v / vv : 0; }
  double fixed_with(double rate) const { return uu > 0 ? std::max(0.0, (u - rate * uv) / uu) : 0; }
  // 0: the measurements do not tell it.
  double rate() const {
    const double determinant = uu * vv - uv * uv;
    if (determinant <= kAlike * uu * vv) return 0;
    const double fixed = (u * vv - v * uv) / determinant;
    return fixed < 0 ? rate_alone() : std::max(0.0, (v * uu - u * uv) / determinant);
  }
};

void LinearCost::add(double amount, double seconds) {
  keep(measured_, {amount, std::max(seconds, kShortest_s)});
}

LinearCost::Sums LinearCost::sums(double largest) const {
  Sums sums;
  double recent = 1;
  for (auto it = measured_.rbegin(); it != measured_.rend(); ++it, recent *= kFade) {
    const double weight = recent * nearness(it->amount, largest);
    const double u = 1 / it->seconds, v = it->amount * u;
    sums.u += weight * u;
    sums.uu += weight * u * u;
    sums.v += weight * v;
    sums.vv += weight * v * v;
    sums.uv += weight * u * v;
  }
  return sums;
}

// The weight of what was measured, as far as its time is that of the amount.
double LinearCost::evidence(double rate, double largest) const {
  double sum = 0, recent = 1;
  for (auto it = measured_.rbegin(); it != measured_.rend(); ++it, recent *= kFade)
    sum += recent * nearness(it->amount, largest) * std::min(1.0, rate * it->amount / it->seconds);
  return sum;
}

LinearCost::Line LinearCost::line(const Asked& asked) const {
  if (measured_.empty()) return {0, asked.rate};
  const auto all = sums(asked.largest);
  double rate = all.rate();
  if (rate <= 0) {
    rate = all.v > 0 ? std::min(asked.rate, all.rate_alone()) : asked.rate;
  } else if (asked.rate > 0) {
    const double told = evidence(rate, asked.largest);
    rate = std::exp((kBelief * std::log(asked.rate) + told * std::log(rate)) / (kBelief + told));
  }
  return {all.fixed_with(rate), rate};
}

void TimeLeft::called(double calls, double seconds) {
  calls_told_ = true;
  now_.calls += calls;
  now_.calls_s += seconds;
}

void TimeLeft::next(double seconds) {
  results_done_ += static_cast<std::uint64_t>(results());
  const Piece* const piece = current();
  if (piece == nullptr) return;
  auto spent = std::exchange(now_, {});
  if (spent.calls == 0 && spent.data_s == 0) spent = {.calls = piece->calls, .calls_s = seconds};
  if (spent.calls > 0) {
    const double call_s = spent.calls_s / spent.calls;
    calls_[piece->kind].add(modelled_s(*piece), call_s);
    all_calls_.add(modelled_s(*piece), call_s);
    keep(same_call_s_[{piece->kind, piece->bytes}], call_s);
  }
  if (piece->data_bytes > 0) data_.add(piece->data_bytes, spent.data_s);
  keep(others_s_, std::max(0.0, seconds - spent.calls_s - spent.data_s));
  const Block& block = plan_[block_];
  if (++piece_ < block.pieces.size()) return;
  piece_ = 0;
  if (++cycle_ < block.cycles || block.cycles == 0) return;
  go_to(block_ + 1);
  between_ = true;
}

void TimeLeft::plan(std::size_t first, std::vector<Block> blocks) {
  plan_.resize(first);
  std::ranges::move(blocks, std::back_inserter(plan_));
}

void TimeLeft::begin(std::size_t block, double between_s) {
  if (between_) keep(between_s_, between_s);
  go_to(block);
}

void TimeLeft::go_to(std::size_t block) {
  between_ = false;
  block_ = block;
  piece_ = 0;
  cycle_ = 0;
  now_ = {};
}

const Piece* TimeLeft::current() const {
  if (block_ >= plan_.size() || plan_[block_].pieces.empty()) return nullptr;
  return &plan_[block_].pieces[piece_];
}

int TimeLeft::results() const { return current() == nullptr ? 1 : current()->results; }

// Each piece that is to come, the one under way included, and how often.
template <typename Visit>
void TimeLeft::for_rest(const Visit& visit) const {
  for (std::size_t b = block_; b < plan_.size(); ++b)
    for (std::size_t i = 0; i < plan_[b].pieces.size(); ++i) {
      auto times = plan_[b].cycles;
      if (b == block_) times -= cycle_ + (i < piece_ ? 1 : 0);
      if (times > 0) visit(plan_[b].pieces[i], static_cast<double>(times));
    }
}

bool TimeLeft::has_end() const {
  return std::ranges::none_of(plan_, [](const Block& block) { return block.cycles == 0; });
}

std::uint64_t TimeLeft::results_planned() const {
  std::uint64_t results = 0;
  for (const auto& block : plan_)
    for (const auto& piece : block.pieces)
      results += static_cast<std::uint64_t>(piece.results) * block.cycles;
  return has_end() ? results : 0;
}

double TimeLeft::modelled_s(const Piece& piece) const {
  if (piece.call_s > 0) return piece.call_s;
  return piece.bytes * (fill_rate_ > 0 ? kOfFilling * fill_rate_ : kUsualRate);
}

// The lines of all costs, for the pieces that are to come.
class TimeLeft::Forecast {
 public:
  explicit Forecast(const TimeLeft& left) : left_(left), others_s_(usual(left.others_s_)) {
    double most_bytes = 0;
    left.for_rest([&](const Piece& piece, double) {
      longest_call_s_ = std::max(longest_call_s_, left.modelled_s(piece));
      most_bytes = std::max(most_bytes, piece.data_bytes);
    });
    const Piece& current = *left.current();
    auto data = left.data_;
    // Nothing else is known of data, and of the piece under way not yet what its check takes.
    if (data.empty() && left.fill_rate_ <= 0 && current.data_bytes > 0)
      data.add(current.data_bytes, left.now_.data_s);
    data_ = data.line({.rate = left.fill_rate_, .largest = most_bytes});
    auto calls = left.all_calls_;
    if (left.now_.calls > 0)
      calls.add(left.modelled_s(current), left.now_.calls_s / left.now_.calls);
    all_ = calls.line({.rate = kUsual, .largest = longest_call_s_});
    usual_ = left.calls_.empty() ? all_ : mean_of_kinds();
  }

  double seconds_of_current() {
    const Piece& piece = *left_.current();
    const auto& now = left_.now_;
    const double each_s = now.calls > 0 ? now.calls_s / now.calls : call_s(piece);
    return others_s_ + std::max(data_s(piece), now.data_s) + piece.calls * each_s;
  }

  double seconds_of(const Piece& piece) {
    return others_s_ + data_s(piece) + piece.calls * call_s(piece);
  }

 private:
  double data_s(const Piece& piece) const {
    return piece.data_bytes > 0 ? data_.at(piece.data_bytes) : 0;
  }
  double call_s(const Piece& piece) {
    const auto same = left_.same_call_s_.find({piece.kind, piece.bytes});
    if (same != left_.same_call_s_.end())
      return piece.alike ? mean(same->second) : same->second.back();
    auto [line, fresh] = kinds_.try_emplace(piece.kind, usual_);
    const auto measured = left_.calls_.find(piece.kind);
    if (fresh && measured != left_.calls_.end()) line->second = line_of(measured->second);
    return line->second.at(left_.modelled_s(piece));
  }
  LinearCost::Line line_of(const LinearCost& kind) const {
    return kind.line({.rate = all_.rate, .largest = longest_call_s_});
  }
  // For a kind that has not run: the latest one says no more of it than the others.
  LinearCost::Line mean_of_kinds() const {
    LinearCost::Line mean;
    const double share = 1 / static_cast<double>(left_.calls_.size());
    for (const auto& [kind, cost] : left_.calls_) {
      const auto line = line_of(cost);
      mean.fixed += share * line.fixed;
      mean.rate += share * line.rate;
    }
    return mean;
  }

  const TimeLeft& left_;
  const double others_s_;
  double longest_call_s_ = 0;
  LinearCost::Line data_, all_;
  LinearCost::Line usual_;  // of a kind that has not run
  std::map<int, LinearCost::Line> kinds_;
};

std::optional<double> TimeLeft::seconds(double elapsed_s) const {
  constexpr std::size_t kFewest = 2;
  if (current() == nullptr || !has_end()) return std::nullopt;
  const bool knows = calls_told_ || others_s_.size() >= std::max(kFewest, plan_.front().row);
  if (!knows) return std::nullopt;
  Forecast forecast(*this);
  double rest_s = 0;
  for_rest([&](const Piece& piece, double times) { rest_s += times * forecast.seconds_of(piece); });
  const double between_s = between_s_.empty() ? kBetween_s : usual(between_s_);
  const double later_s = between_s * static_cast<double>(plan_.size() - 1 - block_);
  if (between_) return std::max(0.0, between_s - elapsed_s) + rest_s + later_s;
  rest_s -= forecast.seconds_of(*current());
  const double now_s = std::max(forecast.seconds_of_current(), kShortest_s);
  // A long piece that is late says that the others will be.
  const double late = elapsed_s > kLong_s ? std::max(1.0, elapsed_s / now_s) : 1;
  return std::max(now_s - elapsed_s, 0.0) + rest_s * late + later_s;
}

}  // namespace linerate
