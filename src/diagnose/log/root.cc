// Which of the faults of a log is the one from which the others follow.
#include "diagnose/log/faults.h"

#include <algorithm>
#include <array>
#include <tuple>

namespace linerate::logs {
namespace {

// A call that no rule knows: what has a name comes first, but for what only follows.
bool is_failed_call(const Fault& fault) {
  return fault.row != nullptr && fault.row->name == "call-failed";
}

// Of two that only say that something failed the first counts; what was survived may be no cause.
Role role_as_cause(const Fault& fault) {
  const auto role = fault.role();
  if (fault.survived && role > Role::origin && role <= Role::report) return Role::suspect;
  if (is_failed_call(fault)) return Role::suspect;
  return role == Role::report ? Role::consequence : role;
}

// Whether the log ends with a complaint after which its program gave up.
bool gave_up(const Fault& fault) {
  return fault.role() == Role::complaint && fault.lines_after == 0 && tells_end(fault);
}

// What may be written where nothing failed, too.
bool is_doubtful(const Fault& fault) {
  return fault.role() == Role::suspect || (fault.role() == Role::complaint && !gave_up(fault));
}

// A fault that was survived is the cause of a failure only if no later line gives another; so is
// what steps came after, unless it breaks by itself.
bool is_past(const Fault& fault) {
  return fault.survived || (fault.passed && fault.role() != Role::origin);
}

bool are_of_one_rank(const Fault& a, const Fault& b) {
  return a.file == b.file && (a.first.rank < 0 || b.first.rank < 0 || a.first.rank == b.first.rank);
}

// Whether a later line of the same file than `past` may be the cause in its place. In place of an
// exception that buffered steps followed only another one may be; in place of what ended an earlier
// run, whatever ended this one.
bool may_replace(const Fault& fault, const Fault& past) {
  if (is_past(fault) || fault.file != past.file || fault.line <= past.line) return false;
  if (past.survived && past.resumed) return fault.role() <= Role::relay;
  const bool named = fault.row != nullptr && (is_quoted(*fault.row) || fault.role() <= Role::vague);
  const bool sure = past.survived || !past.thrown;
  return named && (sure || (fault.thrown && are_of_one_rank(fault, past)));
}

// Whether an unmarked line before an error that gives no reason gives one.
bool is_said_by(const Fault& complaint, const Fault& error) {
  return error.row != nullptr && error.role() == Role::report && error.generic &&
         complaint.role() == Role::complaint && gives_reason(complaint.text) &&
         complaint.file == error.file && complaint.line < error.line;
}

// Failures of NCCL's sockets.
bool is_of_sockets(const Fault& fault) {
  constexpr std::array<std::string_view, 6> kNames{"connect-timeout",  "connection-refused",
                                                   "no-route-to-host", "connect-retries",
                                                   "socket-failure",   "socket-failed"};
  return fault.row != nullptr && std::ranges::find(kNames, fault.row->name) != kNames.end();
}

// Whether a line soon after an error that only says that something failed names what did.
bool is_named_by(const Fault& later, const Fault& error) {
  constexpr std::size_t kSoon = 10;  // lines
  return later.row != nullptr && !is_quoted(*later.row) && later.role() <= Role::consequence &&
         error.role() == Role::report && error.generic && later.file == error.file &&
         later.line > error.line && later.line <= error.line + kSoon &&
         are_of_one_rank(later, error);
}

// A part that broke, which a line tells of later than what failed on it.
bool is_of_hardware(const Fault& fault, const Fault& failure) {
  const auto is = [](const Fault& one, std::string_view name) {
    return one.row != nullptr && one.row->name == name;
  };
  return is(fault, "gpu-hardware") && are_of_one_rank(fault, failure) &&
         (is(failure, "illegal-access") || is(failure, "cuda-failure"));
}

auto order_of(const Fault& fault, bool timed) {
  return std::tuple(role_as_cause(fault), is_failed_call(fault),
                    timed ? std::string_view(fault.time) : std::string_view(), fault.line);
}

}  // namespace

bool tells_end(const Fault& fault) {
  return is_fatal(fault.text) || std::ranges::any_of(fault.next, is_fatal, &Quote::text);
}

bool keeps_hosts_apart(const Fault& fault) {
  if (fault.row == nullptr) return false;
  if (fault.row->name == "virtual-interface") return true;
  const auto& first = fault.places.begin()->host;
  return fault.row->name == "loopback-interface" &&
         std::ranges::any_of(fault.places, [&](auto& place) { return place.host != first; });
}

std::vector<const Fault*> LogFaults::all() const {
  std::vector<const Fault*> list;
  for (const auto& [key, fault] : faults_)
    if (fault.role() != Role::harmless) list.push_back(&fault);
  std::set<Role> untimed;
  for (const auto* fault : list)
    if (fault->time.empty()) untimed.insert(role_as_cause(*fault));
  std::ranges::sort(list, {}, [&](const Fault* one) {
    return order_of(*one, !untimed.contains(role_as_cause(*one)));
  });
  return list;
}

bool LogFaults::explains_any(const Fault& reason) const {
  return std::ranges::any_of(
      faults_, [&](const auto& one) { return one.second.rule() == reason.row->explains; });
}

std::vector<LogFaults::Entry> LogFaults::in_order() const {
  std::vector<Entry> list;
  for (const auto& [key, fault] : faults_) {
    const bool says_nothing =
        fault.rule() == "error-code" || (fault.role() == Role::harmless && !explains_any(fault));
    if (says_nothing) continue;
    list.push_back({&fault, {fault.text, fault.time, fault.file, fault.line}});
    for (const auto& next : fault.next) list.push_back({&fault, next});
  }
  const bool timed = files_.size() > 1 && std::ranges::none_of(list, [](const Entry& entry) {
                       return entry.quote.time.empty();
                     });
  std::ranges::sort(list, {}, [=, this](const Entry& entry) {
    const auto& [text, time, file, line] = entry.quote;
    return std::tuple(timed ? time : std::string(),
                      std::ranges::find(files_, file) - files_.begin(), line);
  });
  return list;
}

const Fault* LogFaults::root() const {
  const auto list = all();
  const bool alone = std::ranges::all_of(list, [](const Fault* fault) {
    return is_doubtful(*fault) || fault->survived || fault->role() > Role::relay;
  });
  const auto may_be = [&](const Fault* fault) {
    if (fault->rule() == kRankTwice && fault->role() == Role::suspect) return false;
    if (fault->rule() == "loopback-interface" && !keeps_hosts_apart(*fault)) return false;
    return fault->role() < Role::slow && fault->role() != Role::waiting &&
           !(alone && is_doubtful(*fault)) && !(fault->survived && is_doubtful(*fault));
  };
  const auto found = std::ranges::find_if(list, may_be);
  if (found == list.end()) return nullptr;
  const auto& first = **found;
  const auto instead = std::ranges::find_if(list, [&](const Fault* fault) {
    if (!may_be(fault) || fault == &first) return false;
    return (is_of_sockets(first) && keeps_hosts_apart(*fault)) ||
           (is_past(first) && may_replace(*fault, first)) || is_said_by(*fault, first) ||
           is_named_by(*fault, first) || is_of_hardware(*fault, first);
  });
  return instead == list.end() ? &first : *instead;
}

const Fault* LogFaults::reason_of(const Fault& fault) const {
  for (const auto& [key, one] : faults_)
    if (fault.row != nullptr && one.row != nullptr && one.row->explains == fault.row->name &&
        one.file == fault.file && one.line < fault.line)
      return &one;
  return nullptr;
}

bool LogFaults::order_is_known() const {
  const auto* first = root();
  return first == nullptr || std::ranges::none_of(faults_, [&](const auto& one) {
           const auto& fault = one.second;
           return fault.role() == first->role() && fault.file != first->file &&
                  (fault.time.empty() || first->time.empty());
         });
}

}  // namespace linerate::logs
