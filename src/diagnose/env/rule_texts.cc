// The rules in words; each example is examined when its page is made.
#include "base/text.h"
#include "diagnose/env/env.h"
#include "diagnose/env/sources.h"
#include "record/findings.h"

#include <array>

namespace linerate::env {
namespace {

struct RuleWords {
  std::string_view id;
  Severity severity;
  std::string_view about, why, remedy;
  std::string_view example;  // a file that sets variables
  std::string_view file = "train.sh";
};
using enum Severity;
constexpr std::string_view kReadsBare = "NCCL takes a line of nccl.conf as it is.";
constexpr auto kRuleWords = std::to_array<RuleWords>({
    // Names.
    {"misspelt-name", problem, "a name that nobody reads, near one that is known",
     "The setting has no effect, and nothing says so.", "write the name that is meant",
     "export NCCL_IB_HAC=mlx5_0"},
    {"unread-name", warning, "a name that is often copied, and that no release of NCCL has read",
     "The setting has no effect, and nothing says so.",
     "leave it out, or set what the finding names instead", "export NCCL_TIMEOUT=600"},
    {"unknown-name", info, "a name that is neither known nor near a known one",
     "It has no effect unless a script, a plugin or a newer version reads it.",
     "look the name up where it was copied from, or leave it out", "export NCCL_FROBNICATE=1"},
    {"undocumented-name", info, "a name that NCCL reads and does not document",
     "Any release may change what it does.", "keep it only for a reason that is written down",
     "export NCCL_LL_BUFFSIZE=65536"},
    {"too-new", warning, "a name that this version of NCCL does not read yet (--nccl)",
     "The setting has no effect there.", "update NCCL, or leave it out",
     "export NCCL_IB_ADDR_RANGE=10.0.0.0/8"},
    {"removed-name", warning, "a name that this version of NCCL does not read any more (--nccl)",
     "The setting has no effect there.", "set the name that took its place, or leave it out",
     "export NCCL_LL_THRESHOLD=0"},
    {"deprecated-name", info, "a name that still works, and another one has taken its place",
     "A later version will not read it.", "set the newer name",
     "export NCCL_ASYNC_ERROR_HANDLING=1"},
    {"conf-line", problem,
     "a line of nccl.conf with export, blanks, quotes, a comment or (before 2.30.3) a carriage "
     "return",
     kReadsBare, "write NAME=VALUE, and nothing else in the line", "export NCCL_DEBUG=INFO",
     "nccl.conf"},
    {"hidden-line", info, "a line of nccl.conf whose variable is set before",
     "NCCL keeps what is set first: the environment, then the first line.",
     "remove the one of the two that is not meant", "NCCL_DEBUG=INFO\nNCCL_DEBUG=WARN",
     "nccl.conf"},
    // Values.
    {"misread-value", problem, "a value that is not the number, path or list that it looks like",
     "NCCL reads whole numbers and drops what is behind: 4M is 4, true is 0, 010 is 8.",
     "write the number in full", "export NCCL_BUFFSIZE=4M"},
    {"out-of-range", problem, "a number that the variable does not take",
     "By variable NCCL takes another number, or fails.", "set the nearest number that it takes",
     "export NCCL_IB_TIMEOUT=40"},
    {"unknown-value", problem, "a word that the variable does not know, also within a list",
     "By variable NCCL takes the default, or fails.", "choose one of the words that it knows",
     "export NCCL_DEBUG=VERBOSE"},
    {"default-value", info, "a value that the variable has anyway",
     "It hides a better default of a newer version.", "leave it out", "export NCCL_IB_DISABLE=0"},
    {"loose-match", info, "a name of an interface or adapter that others begin with",
     "NCCL compares beginnings: mlx5_1 is mlx5_10 too.", "put = in front of the list",
     "export NCCL_IB_HCA=mlx5_1"},
    {"costs-speed", warning, "a switch for searching faults that makes jobs slow",
     "It stays in scripts after the fault is found.",
     "leave it out once the fault that it works around is found", "export NCCL_P2P_DISABLE=1"},
    {"better-unset", warning, "a value that NCCL chooses better by itself",
     "It does what it says, and seldom what is wanted: a fixed GID index, an algorithm without "
     "fallback, forced LL128, the loopback interface.",
     "leave it out", "export NCCL_SOCKET_IFNAME=lo"},
    // Together.
    {"contradiction", problem, "settings that exclude each other",
     "One of them has no effect, or the start fails.", "leave one of the two out",
     "export NCCL_NET=IB NCCL_IB_DISABLE=1"},
    {"no-effect", warning, "a setting that another one switches off, or that needs another one",
     "Nothing says so.", "leave it out, or change the other one",
     "export NCCL_DEBUG=WARN NCCL_DEBUG_SUBSYS=NET"},
    {"other-platform", warning,
     "settings of several networks (EFA, Slingshot, TCPX, InfiniBand), or of AMD's GPUs",
     "They were copied from a machine that is built in another way.",
     "keep the settings of the network that is there",
     "export FI_PROVIDER=efa FI_EFA_USE_DEVICE_RDMA=1 NCCL_IB_HCA=mlx5"},
});

std::string printed(const RuleWords& row) {
  // what old versions read, and new ones not any more, and the other way round
  constexpr Release kOld{20, 5};
  const auto nccl = row.id == "too-new" ? kOld : kNewest;
  const auto settings = read_settings(row.file, row.example, {.nccl = nccl});
  if (!settings) return {};
  for (const auto& finding : examine(*settings, nccl))
    if (finding.rule == row.id) return finding_text(finding);
  return {};
}

}  // namespace

std::vector<RuleText> rule_texts() {
  std::vector<RuleText> texts;
  for (const auto& row : kRuleWords)
    texts.push_back({.id = row.id,
                     .severity = row.severity,
                     .about = row.about,
                     .why = row.why,
                     .remedy = row.remedy,
                     .example = printed(row)});
  return texts;
}

}  // namespace linerate::env
