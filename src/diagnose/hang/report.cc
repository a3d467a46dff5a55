// The report as lines, and as JSON.
#include "diagnose/log/report.h"

#include "base/text.h"
#include "diagnose/hang/hang.h"
#include "record/findings.h"
#include "record/json_io.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace linerate::hang {
namespace {

using json::Json;

std::string process_line(const ProcessSeen& seen) {
  std::set<std::string> hosts;
  for (const auto& one : seen.connections) hosts.insert(one.peer.substr(0, one.peer.rfind(':')));
  auto line = fmt::format("{}: {}", seen.title(), counted(seen.threads.size(), "thread"));
  if (!seen.connections.empty())
    line += fmt::format(", {} to {}", counted(seen.connections.size(), "connection"),
                        fmt::join(hosts, ", "));
  for (const auto& [name, value] : seen.variables) line += fmt::format(", {}={}", name, value);
  line += '\n';
  for (const auto& stage : seen.stages) line += fmt::format("  {}\n", stage);
  for (const auto& reason : seen.unseen) line += fmt::format("  not seen: {}\n", reason);
  return line;
}

std::vector<int> ranks_with_dumps(const Dumps& dumps) {
  std::vector<int> ranks;
  for (const auto& [rank, file] : dumps.files()) ranks.push_back(rank);
  return ranks;
}

Json process_json(const Observed& process) {
  const auto& seen = process.after;
  Json json{{"pid", seen.pid}, {"name", seen.name}, {"state", std::string(1, seen.state)}};
  json["variables"] = seen.variables;
  for (const auto& thread : seen.threads)
    json["threads"].push_back({{"tid", thread.tid},
                               {"name", thread.name},
                               {"state", std::string(1, thread.state)},
                               {"waits_in", thread.waits_in},
                               {"user_s", thread.user_s},
                               {"system_s", thread.system_s},
                               {"queued_s", thread.queued_s}});
  for (const auto& one : seen.connections)
    json["connections"].push_back({{"peer", one.peer},
                                   {"unsent_bytes", one.unsent_bytes},
                                   {"unread_bytes", one.unread_bytes},
                                   {"retransmits", one.retransmits}});
  if (!seen.stages.empty()) json["stages"] = seen.stages;
  if (!seen.unseen.empty()) json["unseen"] = seen.unseen;
  return json;
}

}  // namespace

std::string hang_text(const HangReport& report) {
  std::string text;
  for (const auto& process : report.processes) text += process_line(process.after);
  if (!report.ras.address.empty())
    text += fmt::format("NCCL's RAS at {}: {}\n", report.ras.address,
                        plain_text(report.ras.after.substr(0, report.ras.after.find('\n'))));
  if (const auto ranks = ranks_with_dumps(report.dumps); !ranks.empty())
    text += fmt::format("dumps of {} ({}), {}\n", counted(ranks.size(), "rank"),
                        logs::ranges_text(ranks),
                        counted(report.dumps.groups().size(), "process group"));
  for (const auto& finding : report.findings) text += finding_text(finding);
  if (report.findings.empty()) return text + "no rank waits in a collective\n";
  return text + closing_text(report.findings);
}

std::string hang_json(const HangReport& report) {
  constexpr int kSchema = 1;
  Json document{{"kind", "doctor_hang"}, {"schema", kSchema}};
  auto& processes = document["processes"] = Json::array();
  for (const auto& process : report.processes) processes.push_back(process_json(process));
  if (!report.ras.address.empty()) document["ras"] = {{"address", report.ras.address}};
  document["ranks_with_dumps"] = ranks_with_dumps(report.dumps);
  auto& groups = document["process_groups"] = Json::array();
  for (const auto& group : report.dumps.groups()) {
    Json json{{"name", group.name}, {"description", group.description}, {"ranks", group.members}};
    for (const auto& [rank, calls] : group.ranks)
      if (!calls.collectives.empty())
        json["last"].push_back(
            {{"rank", rank},
             {"sequence", calls.collectives.back().sequence},
             {"operation", calls.collectives.back().text->operation},
             {"state", kCallStates[static_cast<std::size_t>(calls.collectives.back().state)]}});
    groups.push_back(std::move(json));
  }
  auto& findings = document["findings"] = Json::array();
  for (const auto& finding : report.findings) findings.push_back(finding_json(finding));
  return json::document(std::move(document));
}

}  // namespace linerate::hang
