// The report as lines, and as JSON.
#include "base/text.h"
#include "base/units.h"
#include "diagnose/log/report.h"
#include "record/findings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace linerate::logs {
namespace {

using json::Json;

std::string list_or(const std::set<std::string>& values, std::string_view none) {
  return values.empty() ? std::string(none) : fmt::format("{}", fmt::join(values, ", "));
}

// Host -> its ranks in the job.
std::map<std::string, std::vector<int>> hosts_of_job(const CommSeen& job) {
  std::map<std::string, std::vector<int>> hosts;
  for (const auto& [rank, seen] : job.ranks)
    hosts[seen.host.empty() ? "?" : seen.host].push_back(rank);
  return hosts;
}

std::string ranks_line(const CommSeen& job) {
  constexpr std::size_t kMostHosts = 8;
  const auto hosts = hosts_of_job(job);
  std::vector<std::string> parts;
  for (const auto& [host, ranks] : hosts)
    if (parts.size() < kMostHosts) parts.push_back(fmt::format("{}: {}", host, ranges_text(ranks)));
  if (hosts.size() > kMostHosts) parts.emplace_back("…");
  return fmt::format("ranks      {} of {} seen, {} initialised, on {} ({})\n", job.ranks.size(),
                     job.nranks, job.completed(), counted(hosts.size(), "host"),
                     fmt::join(parts, "; "));
}

std::string peer_host(const LogFacts& facts, const ChannelKey& key) {
  const auto* job = facts.job();
  if (key.peer < 0) return key.host;
  if (job == nullptr) return "?";
  const auto seen = job->ranks.find(key.peer);
  return seen == job->ranks.end() || seen->second.host.empty() ? "?" : seen->second.host;
}

struct PairCount {
  std::string from, to, transport;
  bool gpudirect = false;
  auto operator<=>(const PairCount&) const = default;
};

std::map<PairCount, std::size_t> channels_by_hosts(const LogFacts& facts) {
  std::map<PairCount, std::size_t> pairs;
  for (const auto& [key, count] : facts.channels) {
    const auto peer = peer_host(facts, key);
    pairs[{key.sends ? key.host : peer, key.sends ? peer : key.host, key.transport,
           key.gpudirect}] += count;
  }
  return pairs;
}

std::string pair_text(const PairCount& pair, std::size_t count) {
  const auto named = [](const std::string& host) { return host.empty() ? "?" : host; };
  const auto where = pair.from == pair.to
                         ? fmt::format("within {}", named(pair.from))
                         : fmt::format("{} to {}", named(pair.from), named(pair.to));
  std::string_view direct;
  if (pair.transport.starts_with("NET/") && pair.transport != "NET/Socket")
    direct = pair.gpudirect ? ", GPUDirect" : ", no GPUDirect";
  return fmt::format("{}: {} {}{}", where, count, pair.transport, direct);
}

std::string channel_lines(const LogFacts& facts) {
  constexpr std::size_t kMostLines = 12;
  std::string text;
  const auto pairs = channels_by_hosts(facts);
  std::size_t n = 0;
  for (const auto& [pair, count] : pairs) {
    if (n++ == kMostLines) {
      text += fmt::format("           … {} more\n", pairs.size() - kMostLines);
      break;
    }
    text += fmt::format("{}{}\n", n == 1 ? "channels   " : "           ", pair_text(pair, count));
  }
  if (!facts.rings.empty())
    text +=
        fmt::format("rings      {} channels{}{}\n", fmt::join(facts.rings, " or "),
                    facts.tree_lines > 0 ? ", trees" : "", facts.nvls_lines > 0 ? ", NVLS" : "");
  return text;
}

std::string init_line(const CommSeen& job) {
  int slowest = -1;
  double least = 0, most = 0;
  for (const auto& [rank, seen] : job.ranks) {
    if (seen.init_s <= 0) continue;
    if (slowest < 0 || seen.init_s > most) most = seen.init_s, slowest = rank;
    if (least == 0 || seen.init_s < least) least = seen.init_s;
  }
  if (slowest < 0) return {};
  return fmt::format("init       {:.3g} s to {:.3g} s, the slowest is rank {}\n", least, most,
                     slowest);
}

std::string network_lines(const LogFacts& facts) {
  std::vector<std::string> parts;
  for (const auto& [network, hosts] : facts.networks) parts.push_back(network);
  if (parts.empty()) return {};
  auto text = fmt::format("network    {}", fmt::join(parts, ", "));
  if (!facts.devices.empty()) text += fmt::format("; {}", facts.devices.begin()->first);
  if (facts.devices.size() > 1)
    text += fmt::format(" and {} other lists", facts.devices.size() - 1);
  return text + "\n";
}

std::string settings_line(const LogFacts& facts) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string> parts;
  for (const auto& [name, values] : facts.settings)
    if (parts.size() < kMost)
      parts.push_back(
          fmt::format("{}={}", name, values.size() == 1 ? values.begin()->first : "(differs)"));
  if (parts.empty()) return {};
  return fmt::format("settings   {}{}\n", fmt::join(parts, " "),
                     facts.settings.size() > kMost ? " …" : "");
}

// CUDA's "12080" -> "12.8".
std::string cuda_version(const std::string& number) {
  const int value = leading_number(number);
  return value < 1000 ? number : fmt::format("{}.{}", value / 1000, value % 1000 / 10);
}

std::string version_line(const LogFacts& facts) {
  auto text = fmt::format("NCCL       {}", list_or(facts.versions, "of unknown version"));
  for (const auto& driver : facts.drivers)
    text += fmt::format(", driver for CUDA {}", cuda_version(driver));
  return text + "\n";
}

std::string head(const LogReport& report) {
  const auto& facts = report.facts;
  auto text = fmt::format("log        {}, {} of NCCL, {}\n", counted(report.count.lines, "line"),
                          counted(report.messages, "message"), counted(report.files, "file"));
  if (report.count.cut > 0)
    text += fmt::format("cut        {}: what stands behind {} KiB of a line is not read\n",
                        counted(report.count.cut, "line"), kLongestLine / 1024);
  if (report.messages > 0 || !facts.versions.empty()) text += version_line(facts);
  if (const auto* job = facts.job()) text += ranks_line(*job) + init_line(*job);
  return text + network_lines(facts) + channel_lines(facts) + settings_line(facts);
}

std::string verdict(const LogReport& report) {
  const auto problems = count_of(report.findings, Severity::problem),
             warnings = count_of(report.findings, Severity::warning);
  if (problems > 0) return counted(problems, "problem") + "\n";
  if (report.messages == 0 && report.findings.empty())
    return "no fault found; no message of NCCL in it (NCCL_DEBUG=INFO shows how it set itself "
           "up)\n";
  if (warnings > 0) return fmt::format("no failure, {}\n", counted(warnings, "warning"));
  const bool open = std::ranges::any_of(
      report.findings, [](const Finding& one) { return one.rule == "initialisation-open"; });
  if (open) return "the log ends before initialisation does\n";
  const bool waits = std::ranges::any_of(
      report.findings, [](const Finding& one) { return one.rule == "workers-waited-for"; });
  if (waits) return "the log ends while processes are waited for\n";
  const bool doubtful =
      std::ranges::any_of(report.findings, [](const Finding& one) { return is_quoted(one.rule); });
  return doubtful ? "no fault is named; a line reads like an error\n" : "no fault found\n";
}

}  // namespace

std::string log_text(const LogReport& report) {
  auto text = head(report);
  for (const auto& finding : report.findings) text += "\n" + finding_text(finding);
  if (const auto order = in_order_text(report); !order.empty()) text += "\n" + order;
  text += "\n" + verdict(report);
  return report.findings.empty() ? text : text + std::string(kExplainHint);
}

std::string log_json(const LogReport& report) {
  const auto& facts = report.facts;
  Json out{{"kind", "doctor_log"},
           {"schema", 1},
           {"lines", report.count.lines},
           {"bytes", report.count.bytes},
           {"cut_lines", report.count.cut},
           {"messages", report.messages},
           {"nccl_versions", facts.versions},
           {"cuda_driver_versions", facts.drivers},
           {"networks", facts.networks},
           {"devices", facts.devices}};
  if (const auto* job = facts.job()) {
    out["nranks"] = job->nranks;
    out["initialised"] = job->completed();
    for (const auto& [host, ranks] : hosts_of_job(*job)) out["hosts"][host] = ranks;
  }
  for (const auto& [pair, count] : channels_by_hosts(facts))
    out["channels"].push_back({{"from", pair.from},
                               {"to", pair.to},
                               {"transport", pair.transport},
                               {"gpudirect", pair.gpudirect},
                               {"count", count}});
  for (const auto& [name, values] : facts.settings)
    for (const auto& [value, places] : values) out["settings"][name].push_back(value);
  out["in_order"] = Json::array();
  for (const auto& [fault, quote] : report.faults.in_order())
    out["in_order"].push_back({{"rule", fault->rule()},
                               {"file", quote.file},
                               {"line", quote.line},
                               {"text", quote.text}});
  out["findings"] = Json::array();
  for (const auto& finding : report.findings) out["findings"].push_back(finding_json(finding));
  return json::document(std::move(out));
}

}  // namespace linerate::logs
