// Most lines report nothing: their shape, without numbers, is remembered, and looked up once.
#include "diagnose/log/faults.h"

#include "base/text.h"

#include <algorithm>
#include <tuple>

namespace linerate::logs {
namespace {

constexpr std::size_t kMostShapes = 100'000, kMostFaults = 200, kMostPlaces = 10'000,
                      kMostGroups = 1000;
constexpr auto kEnd = std::string_view::npos;

bool is_number_char(char c) { return c >= '0' && c <= '9'; }

// FNV-1a over what is no number.
std::size_t shape_of(std::string_view text) {
  std::size_t hash = 0xcbf29ce484222325U;
  bool hex = false;
  for (const char c : text) {
    hex = (c == 'x') || (hex && (is_number_char(c) || (c >= 'a' && c <= 'f')));
    if (is_number_char(c) || (hex && c != 'x')) continue;
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  }
  return hash;
}

// "init.cc:1079 -> 3": an error goes up through NCCL's calls; 7 means "in progress".
bool is_error_code(std::string_view text) {
  const auto arrow = text.find(" -> ");
  if (arrow == kEnd || text.find(".cc:") > arrow) return false;
  const int code = leading_number(text.substr(arrow + 4));
  return code >= 1 && code <= 6;
}

std::string key_of(const Signature* row, const Message& message) {
  if (row != nullptr) return std::string(row->name);
  std::string key(message.site);
  for (const char c : message.text.substr(0, 60))
    if (!is_number_char(c)) key += c;
  return key;
}

long number_after(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  return at == kEnd ? -1 : leading_number(text.substr(at + mark.size()));
}

std::string_view until(std::string_view text, std::string_view ends) {
  return text.substr(0, text.find_first_of(ends));
}

// A line that repeats in other words what a thread's own line has said.
bool is_echo(const Message& message) {
  return message.level == Level::none && message.text.starts_with("what():");
}

auto order_of(const Fault& fault, bool timed) {
  return std::tuple(fault.role(), timed ? std::string_view(fault.time) : std::string_view(),
                    fault.line);
}

}  // namespace

// "[PG 1 Rank 3] … WorkNCCL(SeqNum=5, OpType=ALLREDUCE, …", "… last completed NCCL work: 4."
void LogFaults::take_watchdog(const Message& message) {
  const auto rank = message.rank;
  if (rank < 0) return;
  std::string group;
  if (const auto at = message.text.find("[PG "); at != kEnd)
    group = plain_text(until(message.text.substr(at + 4, 60), "]"));
  if (const auto end = group.find(" Rank"); end != std::string::npos) group.resize(end);
  if (waiting.size() >= kMostGroups && !waiting.contains(group)) return;
  auto& ranks = waiting[group];
  if (ranks.size() >= kMostPlaces) return;
  auto& one = ranks[rank];
  if (one.sequence >= 0) return;
  one.sequence =
      std::max(number_after(message.text, "SeqNum="), number_after(message.text, "NCCL work: "));
  one.completed = number_after(message.text, "last completed NCCL work: ");
  if (const auto at = message.text.find("OpType="); at != kEnd)
    one.operation = plain_text(until(message.text.substr(at + 7, 40), ",)"));
}

bool LogFaults::known_as_harmless(const Message& message) {
  if (message.level == Level::warn) return false;
  if (message.level == Level::info && is_error_code(message.text)) return failed = true;
  return silent_.contains(shape_of(message.text));
}

void LogFaults::take(const Message& message, Where where) {
  if (known_as_harmless(message) || is_echo(message)) return;
  const auto* row = find_signature(message);
  if (row == nullptr && message.level != Level::warn) {
    if (silent_.size() >= kMostShapes) silent_.clear();
    silent_.insert(shape_of(message.text));
    return;
  }
  if (row != nullptr && row->role == Role::harmless) return;
  if (row != nullptr && row->name == "collective-timeout") take_watchdog(message);
  if (message.text.find("last completed NCCL work") != kEnd) take_watchdog(message);
  auto key = key_of(row, message);
  if (faults_.size() >= kMostFaults && !faults_.contains(key)) return;
  auto& fault = faults_[std::move(key)];
  const auto place = place_of(message);
  if (fault.places.size() < kMostPlaces) fault.places.insert(place);
  const bool earlier = !message.time.empty() && message.time < fault.time;
  if (fault.count++ > 0 && !earlier) return;
  fault.row = row;
  fault.text = shortened(plain_text(message.whole), 400);
  fault.time = message.time;
  fault.file = where.file;
  fault.line = where.line;
  fault.first = place;
}

std::vector<const Fault*> LogFaults::all() const {
  std::vector<const Fault*> list;
  for (const auto& [key, fault] : faults_) list.push_back(&fault);
  const bool timed = std::ranges::none_of(list, [](const Fault* one) { return one->time.empty(); });
  std::ranges::sort(list, {}, [&](const Fault* one) { return order_of(*one, timed); });
  return list;
}

const Fault* LogFaults::root() const {
  const auto list = all();
  return list.empty() || list.front()->role() >= Role::slow ? nullptr : list.front();
}

}  // namespace linerate::logs
