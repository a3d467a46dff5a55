// Findings of faults: one for the root cause, in whose evidence stands what followed.
#include "diagnose/log/report.h"

#include "base/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <set>

namespace linerate::logs {
namespace {

constexpr std::size_t kMostOthers = 8;
constexpr std::string_view kNothingElse = " Nothing else in this log says that the job failed.";

std::string where_text(const Fault& fault) { return fmt::format("{}:{}", fault.file, fault.line); }

// "rank 3 (node1), then 4 others"; "and" where the order is not known. A rank counts once, also
// where only some of its lines name the host.
std::string who_text(const LogFacts& facts, const Fault& fault) {
  std::set<int> ranks;
  std::set<std::string> unranked;
  for (const auto& place : fault.places) {
    const int rank = facts.rank_of(place);
    if (rank >= 0)
      ranks.insert(rank);
    else
      unranked.insert(facts.name_of(place));
  }
  auto first = facts.name_of(fault.first);
  const auto others = ranks.size() + unranked.size() - 1;
  if (others == 0) return first;
  return fmt::format("{}{} {}", first, fault.ordered ? ", then" : " and", counted(others, "other"));
}

std::string seen_text(const Fault& fault) {
  return fmt::format("'{}' ({}{})", fault.text, where_text(fault),
                     fault.count > 1 ? fmt::format(", {} times", fault.count) : "");
}

// Where a fault stands to the root.
enum class Order : std::uint8_t { earlier, later, unknown };

// By line in one file, else by time. What another failure brings comes later, also without a time.
Order order_of(const Fault& fault, const Fault& root) {
  if (fault.file == root.file) return fault.line < root.line ? Order::earlier : Order::later;
  if (!fault.time.empty() && !root.time.empty() && fault.time != root.time)
    return fault.time < root.time ? Order::earlier : Order::later;
  const bool follows =
      fault.row != nullptr && !is_quoted(*fault.row) && fault.role() >= Role::consequence;
  return follows ? Order::later : Order::unknown;
}

// "peer-closed (rank 2 (node1), then 3 others)"
std::string other_text(const LogFacts& facts, const Fault& fault) {
  if (fault.row == nullptr) return fmt::format("a warning that is not known, {}", seen_text(fault));
  if (is_quoted(*fault.row)) return fmt::format("{}, {}", fault.rule(), seen_text(fault));
  return fmt::format("{} ({})", fault.rule(), who_text(facts, fault));
}

// What else the log has, by its order to the root.
std::string others_text(const LogFacts& facts, const Fault& root,
                        std::span<const Fault* const> faults) {
  std::map<Order, std::vector<std::string>> parts;
  for (const auto* fault : faults) {
    if (fault->rule() == "error-code") continue;
    auto& some = parts[order_of(*fault, root)];
    if (some.size() < kMostOthers) some.push_back(other_text(facts, *fault));
  }
  constexpr std::array<std::string_view, 3> kBegin{"Earlier in the log", "It was followed by",
                                                   "In other files, before or after it"};
  std::string text;
  for (const auto& [order, some] : parts)
    text +=
        fmt::format(" {}: {}.", kBegin.at(static_cast<std::size_t>(order)), fmt::join(some, "; "));
  return text;
}

// A watchdog's timeout has the remedy of the mismatch that its lines show.
std::string mismatch_remedy(const LogFaults& faults, const Fault& root) {
  if (root.row->name != "collective-timeout" || !calls_differ(faults)) return {};
  return fmt::format("{}; ", signature_of("collectives-differ", Role::fault)->remedy);
}

std::string advice_of(const Fault& fault) {
  const auto& texts = texts_of(*fault.row);
  const auto& remedy = fault.frame.remedy;
  return fmt::format("{}{}{} [{}]", remedy,
                     remedy.empty() ? "" : ", and tells whether it is at fault; ", texts.remedy,
                     texts.source);
}

// What the line of a fault tells beside its meaning.
std::string detail_text(const Fault& fault) {
  auto text = fault.rule() == "gpu-xid" ? xid_text(fault.text) : std::string();
  const auto& place = fault.frame.place;
  return place.empty() ? text : text + fmt::format(" Its back trace begins in {}.", place);
}

std::string_view survived_text(const Fault& fault) {
  if (!fault.survived) return {};
  return fault.resumed ? " The job began again after it." : " Its rank went on after it.";
}

// Of one that is quoted.
std::string then_text(const Fault& fault) {
  std::vector<std::string> parts;
  for (const auto& quote : fault.next)
    parts.push_back(fmt::format("'{}' ({}:{})", quote.text, quote.file, quote.line));
  return fmt::format(" Then: {}.", fmt::join(parts, "; "));
}

Finding unknown_finding(const LogFacts& facts, const Fault& fault, Severity severity) {
  return {.rule = "unknown-warning",
          .severity = severity,
          .subject = who_text(facts, fault),
          .evidence = fmt::format("a warning that is not known here: {}", seen_text(fault)),
          .advice = "search for its text in NVIDIA/nccl's issues",
          .confidence = 0.3};
}

double confidence_in(const Fault& root, bool order_is_known) {
  if (is_quoted(*root.row)) return 0.3;
  if (root.role() <= Role::fault) return order_is_known ? 0.9 : 0.6;
  return root.role() == Role::vague ? 0.5 : 0.3;
}

// Whether every process that told of a failure has gone on since.
bool all_survived(const LogFaults& faults) {
  return std::ranges::all_of(faults.all(), [](const Fault* fault) {
    return fault->survived || fault->role() >= Role::waiting || fault->role() == Role::suspect ||
           fault->role() == Role::complaint;
  });
}

// An error that only calls itself one may have been survived: by a program that goes on.
Severity severity_of(const LogFaults& faults, const Fault& root,
                     std::span<const Fault* const> followers) {
  constexpr std::size_t kGoesOn = 400;  // lines: more than a buffer holds
  const bool goes_on =
      root.survived && (root.resumed || !is_fatal(root.text)) && all_survived(faults);
  if (root.role() == Role::ending || goes_on) return Severity::warning;
  const bool alone = std::ranges::all_of(followers, [](const Fault* fault) {
    return fault->row != nullptr && (is_quoted(*fault->row) || fault->role() > Role::relay);
  });
  if (!is_quoted(*root.row) || !alone) return Severity::problem;
  const auto is_end = [&](const Fault& fault) {
    return fault.lines_after == 0 || tells_end(fault);
  };
  const auto is_errors_end = [&](const Fault* fault) {
    return fault->role() == Role::report && is_end(*fault);
  };
  if (is_end(root) || std::ranges::any_of(followers, is_errors_end)) return Severity::problem;
  // What others write says nothing of the process that threw it.
  const bool went_on = root.lines_after >= kGoesOn && root.first.rank < 0;
  return root.row->name == "uncaught-exception" && !went_on ? Severity::problem : Severity::info;
}

Finding root_finding(const LogFacts& facts, const LogFaults& faults, const Fault& root,
                     std::span<const Fault* const> followers) {
  if (root.row == nullptr) {
    auto finding =
        unknown_finding(facts, root, followers.empty() ? Severity::warning : Severity::problem);
    finding.evidence += others_text(facts, root, followers) + missing_text(facts);
    return finding;
  }
  auto evidence = fmt::format("{}: {}.", texts_of(*root.row).meaning, seen_text(root));
  if (!root.next.empty()) evidence += then_text(root);
  evidence += detail_text(root);
  evidence += survived_text(root);
  if (const auto* reason = faults.reason_of(root))
    evidence += fmt::format(" An earlier line says why: {}.", seen_text(*reason));
  if (root.role() >= Role::consequence && !is_quoted(*root.row))
    evidence += " What it follows from is not in this log.";
  if (!root.before.empty())
    evidence += fmt::format(" Before it stands: '{}'.", fmt::join(root.before, "'; '"));
  if (!faults.quote.empty() && root.role() >= Role::trace && root.role() <= Role::relay)
    evidence += fmt::format(" NCCL's last message was: '{}'.", faults.quote);
  if (!faults.heading.empty() && root.role() >= Role::report && !is_quoted(*root.row))
    evidence += fmt::format(" The launcher says: '{}'.", faults.heading);
  if (!faults.stack_end.empty() && root.row->name == "mpi-failed")
    evidence += fmt::format(" Its error stack ends with: '{}'.", faults.stack_end);
  if (!faults.order_is_known())
    evidence += " Whether it came first is not known: these files have no times.";
  evidence += waiting_text(faults) + others_text(facts, root, followers) + missing_text(facts);
  const auto severity = severity_of(faults, root, followers);
  if (severity == Severity::info) evidence += kNothingElse;
  return {.rule = std::string(root.row->name),
          .severity = severity,
          .subject = who_text(facts, root),
          .evidence = std::move(evidence),
          .advice = mismatch_remedy(faults, root) + advice_of(root),
          .confidence = confidence_in(root, faults.order_is_known())};
}

Finding further_finding(const LogFacts& facts, const Fault& fault) {
  return {.rule = std::string(fault.row->name),
          .severity = Severity::warning,
          .subject = who_text(facts, fault),
          .evidence = fmt::format("{}: {}.{}{}", texts_of(*fault.row).meaning, seen_text(fault),
                                  detail_text(fault), survived_text(fault)),
          .advice = advice_of(fault),
          .confidence = fault.role() == Role::slow ? 0.9 : 0.5};
}

// Nothing says that the job failed, and a line reads as if something had.
Finding doubtful_finding(const LogFacts& facts, const Fault& fault) {
  auto finding = further_finding(facts, fault);
  finding.severity = Severity::info;
  finding.evidence += kNothingElse;
  finding.confidence = 0.2;
  return finding;
}

// Whether the log ends with a process that tries to connect to others.
bool ends_retrying(const Fault& fault) {
  constexpr std::size_t kAgain = 2, kAtEnd = 10;  // times; lines
  return (fault.rule() == "connect-retries" || fault.rule() == "rendezvous-retries") &&
         !fault.survived && fault.count >= kAgain && fault.lines_after < kAtEnd;
}

// The same, or waits for them, as it has said again and again.
bool ends_waiting(const Fault& fault) {
  constexpr std::size_t kOften = 3, kNearEnd = 3;  // times; lines
  return ends_retrying(fault) || (fault.rule() == "workers-waited-for" && !fault.survived &&
                                  fault.count >= kOften && fault.lines_after < kNearEnd);
}

// Or with processes of which two say that they are the same rank.
bool ends_twice(const Fault& fault) {
  constexpr std::size_t kAtEnd = 10;  // lines
  return fault.rule() == kRankTwice && fault.role() == Role::suspect && !fault.survived &&
         fault.lines_after < kAtEnd;
}

// With what Open MPI or PMIx lacks; Slurm's munge is lacking in many jobs that go on.
bool ends_lacking(const Fault& fault) {
  constexpr std::size_t kAtEnd = 14;  // lines, of the explanation too
  return fault.rule() == "mpi-component-missing" && fault.lines_after < kAtEnd;
}

// What may be why a log without a failure ends with attempts to connect, or before initialisation
// does.
bool may_keep_apart(const LogFaults& faults, const Fault& fault) {
  if (fault.rule() == "loopback-interface") return keeps_hosts_apart(fault) && !fault.survived;
  return keeps_hosts_apart(fault) &&
         std::ranges::any_of(faults.all(), [](const Fault* one) { return ends_retrying(*one); });
}

}  // namespace

std::vector<Finding> fault_findings(const LogFacts& facts, const LogFaults& faults) {
  const auto* root = faults.root();
  std::vector<Finding> findings;
  std::vector<const Fault*> followers;
  for (const auto* fault : faults.all()) {
    if (root == nullptr && (ends_waiting(*fault) || ends_twice(*fault) || ends_lacking(*fault) ||
                            may_keep_apart(faults, *fault)))
      findings.push_back(doubtful_finding(facts, *fault));
    if (fault == root || fault->role() == Role::suspect || fault->role() == Role::waiting) continue;
    if (root == nullptr && fault->role() == Role::complaint && !fault->survived)
      findings.push_back(doubtful_finding(facts, *fault));
    else if ((fault->role() <= Role::fault && faults.reason_of(*fault) == nullptr) ||
             fault->role() == Role::slow)
      findings.push_back(further_finding(facts, *fault));
    else
      followers.push_back(fault);
  }
  if (root != nullptr)
    findings.insert(findings.begin(), root_finding(facts, faults, *root, followers));
  return findings;
}

LogReport LogReader::report() && {
  auto report = std::move(report_);
  report.findings = fault_findings(report.facts, report.faults);
  const bool failed =
      report.faults.root() != nullptr && report.findings.front().severity != Severity::info;
  for (auto& finding : slow_path_findings(report.facts))
    if (!failed || (finding.severity != Severity::info && finding.rule != "initialisation-open"))
      report.findings.push_back(std::move(finding));
  std::ranges::stable_sort(report.findings, std::ranges::greater{}, &Finding::severity);
  return report;
}

}  // namespace linerate::logs
