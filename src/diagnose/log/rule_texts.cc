// The tables of messages in words, and the findings that are no message's. Examples are what short
// logs give: of a message one whose only line is its pattern.
#include "base/text.h"
#include "diagnose/log/report.h"
#include "record/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate::logs {
namespace {

// Of facts, and of warnings that no row knows.
struct FactWords {
  std::string_view id;
  Severity severity;
  std::string_view about, speaks, why, remedy;
  std::string_view log;  // that gives it; @0 and @1: what begins a line of a rank of node0, node1
};
using enum Severity;
constexpr std::string_view kLoadPeerMemory =
    "on the hosts that lack it: modprobe nvidia_peermem, or use the open kernel modules with "
    "DMA-BUF; linerate topo --lint says how far GPU and NIC are apart";
constexpr auto kFactWords = std::to_array<FactWords>({
    {"unknown-warning", problem, "a warning of NCCL that no rule knows",
     "as a problem if the job failed or other faults follow, else as a warning",
     "It may be the cause of what follows, or harmless.",
     "search for its text in NVIDIA/nccl's issues",
     "n0:10:20 [0] news.cc:7 NCCL WARN A new kind of warning\n"},
    {"sockets-between-hosts", warning, "TCP sockets between two hosts or more",
     "as a warning if InfiniBand is there or was switched off, else as a note",
     "Sockets reach a fraction of the speed of InfiniBand or RoCE.",
     "NCCL_NET=IB makes a missing InfiniBand an error, whose reason NCCL_DEBUG=INFO shows",
     "@0NET/IB : Using [0]mlx5_0:1/IB\n@0Using network Socket\n@1Using network Socket\n"},
    {"mixed-networks", warning, "ranks that use different networks", "",
     "A job is as fast as its slowest network.",
     "find out why the others have no InfiniBand: NCCL_NET=IB makes it an error",
     "@0Using network IB\n@1Using network Socket\n"},
    {"gpudirect-off", warning, "channels between hosts of which none uses GPUDirect RDMA", "",
     "Data then goes through the hosts' memory, twice over PCIe.", kLoadPeerMemory,
     "@0Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0\n"},
    {"gpudirect-one-way", warning, "GPUDirect RDMA where data is sent, and not where it arrives",
     "", "One side lacks access to the GPUs' memory.", kLoadPeerMemory,
     "@0Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA\n@1Channel 00/0 : 0[0] -> 1[0] "
     "[receive] via NET/IB/0\n"},
    {"disabled-by-setting", warning, "NCCL_P2P_DISABLE=1 or NCCL_SHM_DISABLE=1", "",
     "GPUs of a host then exchange data through its memory, or through the network.",
     "unset it, unless it is needed to run at all: then look for the reason (ACS, IOMMU, "
     "/dev/shm)",
     "@0NCCL_P2P_DISABLE set by environment to 1.\n"},
    {"no-peer-access", info, "GPUs of a host that exchange data through its memory (SHM)", "",
     "It is slower than direct access, and usual across sockets without NVLink.",
     "nvidia-smi topo -p2p r shows why", "@0Channel 00 : 0[0] -> 1[1] via SHM/direct/direct\n"},
    {"network-within-host", warning, "ranks of one host that exchange data through the network",
     "if all ranks are on one host",
     "Neither direct access nor shared memory is used between them.",
     "unset NCCL_P2P_DISABLE and NCCL_SHM_DISABLE; containers of a host need a common /dev/shm "
     "and hostname",
     "@0comm 0x1 rank 0 nranks 1 cudaDev 0 - Init COMPLETE\n@0Channel 00/0 : 0[0] -> 1[1] [send] "
     "via NET/Socket/0\n"},
    {"versions-differ", warning, "several versions of NCCL in one log", "",
     "They may be of several jobs; ranks of one job fail or hang with each other.",
     "install one version on all hosts of a job",
     "NCCL version 2.18.3+cuda12.2\nNCCL version 2.21.5+cuda12.4\n"},
    {"settings-differ", warning, "a variable of NCCL that is not the same on all ranks", "",
     "Ranks may then choose different ways, and fail or hang.",
     "set it the same on all ranks, unless hosts differ",
     "@0NCCL_ALGO set by environment to Ring.\n@1NCCL_ALGO set by environment to Tree.\n"},
    {"initialisation-open", warning, "a log that ends before initialisation does",
     "as a warning if ranks are missing and none has ended it, else as a note",
     "The ranks that came wait for those that did not.",
     "give the logs of all ranks; if the job hangs there, look at those that did not come",
     "@0comm 0x1 rank 0 nranks 2 cudaDev 0 commId 0x7 - Init START\n"},
});

std::string_view where_words(Lines lines) {
  switch (lines) {
    case Lines::warnings:
      return "a warning of NCCL (WARN)";
    case Lines::nccl:
      return "a line of NCCL (INFO or WARN)";
    case Lines::exceptions:
      return "the last line of an exception";
    case Lines::errors:
      return "an error or an exception of any program";
    case Lines::reports:
      return "a warning of NCCL, or an error or an exception of any program,";
    case Lines::others:
      return "a line without NCCL's tag or a level";
    case Lines::gpu:
      return "a warning of NCCL, an error or an exception, or a line with an error of CUDA or HIP,";
    case Lines::any:
      return "a line of any program";
  }
  __builtin_unreachable();
}

std::string_view role_words(Role role) {
  switch (role) {
    case Role::origin:
    case Role::fault:
    case Role::killed:
    case Role::crash:
    case Role::signalled:
      return "As a problem if it is the first cause, else as a warning";
    case Role::vague:
    case Role::report:
      return "As a problem if no other line says more, else below the first cause";
    case Role::complaint:
      return "As a problem where something failed and no other line says more, else as a note";
    case Role::suspect:
      return "As a problem where something failed and no other line says why, else not at all";
    case Role::consequence:
    case Role::trace:
    case Role::exit:
    case Role::relay:
      return "It follows from something else: below that, or as a problem if the log lacks it";
    case Role::waiting:
      return "As a note where the log ends so, and nothing failed";
    case Role::ending:
      return "Below the first cause, or as a warning if the log shows none";
    case Role::slow:
      return "As a warning, also where nothing failed";
    case Role::harmless:
      break;
  }
  __builtin_unreachable();
}

// "'a … b' or 'c'"
std::string pattern_words(std::string_view pattern) {
  std::string words;
  for (const auto& piece : split(pattern, '|')) {
    words += words.empty() ? "'" : " or '";
    for (const char c : std::string_view(piece).substr(0, piece.find_last_not_of('*') + 1))
      words += c == '*' ? std::string(" … ") : std::string(1, c);
    words += '\'';
  }
  return words;
}

// What the finding says in a log.
std::string found_in(std::string log, std::string_view rule) {
  LogReader reader;
  reader.read("job.log", [&log](std::span<char> room) {
    const auto n = std::min(room.size(), log.size());
    std::ranges::copy_n(log.begin(), static_cast<std::ptrdiff_t>(n), room.begin());
    log.erase(0, n);
    return n;
  });
  for (const auto& finding : std::move(reader).report().findings)
    if (finding.rule == rule) return finding_text(finding);
  return {};
}

std::string printed(const FactWords& row) {
  std::string log;
  for (const auto& line : split(row.log, '\n')) {
    const auto at = std::string_view(line).starts_with('@') ? std::size_t{2} : 0;
    if (at > 0) log += fmt::format("node{}:10:20 [0] NCCL INFO ", line[1]);
    log += line.substr(at) + '\n';
  }
  return found_in(std::move(log), row.id);
}

std::string printed(const Signature& row) {
  if (row.lines == Lines::others) return found_in("solver: cannot read mesh.dat\n", row.name);
  if (row.name == kRanksAlone)
    return found_in("Number of MPI processes: 1\nNumber of MPI processes: 1\n", row.name);
  if (row.name == "loopback-interface")
    return found_in(
        "n0:10:20 [0] NCCL INFO Bootstrap : Using lo:127.0.0.1<0>\n"
        "n1:11:21 [0] NCCL INFO Bootstrap : Using lo:127.0.0.1<0>\nTest NCCL failure\n",
        row.name);
  if (row.name == kRankTwice && row.role == Role::suspect) return {};
  for (const auto& piece : split(row.pattern, '|')) {
    auto words = pattern_words(piece);
    words = words.substr(1, words.size() - 2) + (piece.ends_with(' ') ? "…" : "");
    if (row.lines == Lines::exceptions) {
      const bool named = matches("Error|Exception", words);
      words = fmt::format("{}{}{}", named ? "" : "OSError: ", words, named ? ": x" : "");
    }
    const bool bare = row.lines == Lines::any || row.lines == Lines::exceptions;
    for (const auto before : {bare ? "" : "n0:10:20 [0] NCCL WARN ", "ERROR: "}) {
      const auto end = row.role == Role::suspect ? "\nTest NCCL failure\n" : "\n";
      if (auto text = found_in(before + words + end, row.name); !text.empty()) return text;
    }
  }
  return {};
}

std::string_view pattern_of(std::string_view name) {
  for (const auto table : signature_tables())
    for (const auto& row : table)
      if (row.name == name) return row.pattern;
  return {};
}

// "if a warning … holds 'a' or a line … holds 'b'. As a problem …", by all rows of this name.
std::string speaks_of(std::string_view name) {
  if (name == kRanksAlone)
    return fmt::format(
        "if two lines of one wording, at most {} lines apart, say that a program has one process: "
        "{}. {}",
        kNearBanners, pattern_words(pattern_of(name)), role_words(Role::slow));
  std::string text;
  std::string_view role;
  for (const auto table : signature_tables())
    for (const auto& row : table) {
      if (row.name != name || row.role == Role::harmless) continue;
      const auto next = role_words(row.role);
      const auto joint = text.empty()   ? "if"
                         : next == role ? ", or"
                                        : fmt::format(". {}. Also if", role);
      text +=
          fmt::format("{} {} holds {}", joint, where_words(row.lines), pattern_words(row.pattern));
      role = next;
    }
  return fmt::format("{}. {}", text, role);
}

RuleText text_of(const Signature& row) {
  return {.id = row.name,
          .severity = row.role >= Role::ending ? warning : problem,
          .about = row.meaning,
          .speaks = speaks_of(row.name),
          .remedy = row.remedy,
          .source = row.source,
          .example = printed(row)};
}

}  // namespace

std::vector<RuleText> rule_texts() {
  std::vector<RuleText> texts;
  for (const auto table : signature_tables())
    for (const auto& row : table) {
      const bool told = std::ranges::find(texts, row.name, &RuleText::id) != texts.end();
      if (row.role != Role::harmless && !row.meaning.empty() && !told)
        texts.push_back(text_of(row));
    }
  for (const auto& row : kFactWords)
    texts.push_back({.id = row.id,
                     .severity = row.severity,
                     .about = row.about,
                     .speaks = std::string(row.speaks),
                     .why = row.why,
                     .remedy = row.remedy,
                     .example = printed(row)});
  return texts;
}

}  // namespace linerate::logs
