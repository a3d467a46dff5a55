// What each finding means, in words; findings take severity and advice from here.
#include "base/text.h"
#include "diagnose/hang/hang.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace linerate::hang {
namespace {

using enum Severity;

std::vector<RuleText> texts_of_dumps() {
  constexpr std::string_view dumps = "dumps of PyTorch's flight recorder";
  return {
      {"missing-in-collective", problem, "ranks that have not entered a collective", dumps,
       "if others wait in it", "The others wait until it enters, or until their timeout.",
       "look at what this rank does: its log, linerate doctor hang PID there; usual are an "
       "exception, less data than others, a branch by rank, slow storage"},
      {"calls-differ", problem, "ranks that make different calls at the same place of a group",
       dumps, "at the first such call; as a warning if it has ended on all ranks",
       "Calls of one communicator are matched by their order: NCCL hangs, or mixes data up.",
       "all ranks must call the same collectives in the same order: look for a branch by rank, "
       "data or time before this call"},
      {"tensors-differ", problem, "types or numbers of elements that differ in a call", dumps,
       "if the call needs them alike, such as all_reduce; as a warning if it has ended on all "
       "ranks",
       "NCCL hangs then, or the result is wrong.",
       "make sizes and types alike on all ranks: look for an uneven last batch, a parameter that "
       "only some ranks have, or another type on some"},
      {"unmatched-send", problem, "a send without a receive, or the other way round", dumps,
       "if one of two ranks has an open call, and the other fewer calls and none open",
       "The one that calls waits for the other.",
       "each send needs a receive, and in the same order; where two ranks send to each other, "
       "batch_isend_irecv"},
      {"collective-does-not-end", problem, "a collective that all ranks have entered", dumps,
       "if it does not end on some, and no other finding explains that",
       "The network or a GPU holds it up.",
       "the program is right so far: look at the network and the GPUs, with linerate doctor on "
       "the nodes, and linerate doctor log on the output with NCCL_DEBUG=INFO"},
      {"no-dump", problem, "ranks of a group without a dump", dumps,
       "if others wait in a collective; as a warning if they are most of the group, or ranks with "
       "a dump are missing too",
       "What they did last is not known.",
       "give the dumps of all ranks; a rank that wrote none has died, or hangs outside of "
       "PyTorch: look at its log"},
      {"dump-left-out", warning, "dumps that cannot be read", dumps,
       "if others can: those of all alone are refused",
       "A rank that is killed while it writes leaves a dump that is cut.",
       "look at the log of that rank; it may have died while it wrote"},
  };
}

std::vector<RuleText> texts_of_ras() {
  constexpr std::string_view ras = "VERBOSE STATUS of NCCL's RAS service";
  return {
      {"ras-behind", problem, "ranks that have launched fewer operations than others", ras,
       "if the numbers do not change between two looks; as a note if they do",
       "The others wait for them in the operation that is missing.",
       "look at what the processes with the fewest operations do: linerate doctor hang PID on "
       "their node"},
      {"ras-status", warning, "ranks of a communicator whose state differs", ras, "",
       "A rank without the communicator (NOCOMM) has not created it yet, or has destroyed it.",
       "compare what these ranks ran last: linerate doctor log on their output"},
      {"ras-agrees", info, "ranks that have all launched the same operations", ras, "",
       "No rank is missing: a job that hangs does so within its last operation, in the network "
       "or on a GPU.",
       "linerate doctor on the nodes, linerate doctor log on the output with NCCL_DEBUG=INFO"},
      {"ras-incomplete", problem, "ranks and processes that do not answer", ras, "",
       "They have ended, or are stopped, or nothing reaches them.",
       "look at their processes, linerate doctor hang PID on their node, and at the end of their "
       "logs"},
      {"ras-dead", problem, "processes that nothing reaches any more", ras, "",
       "The others wait for them in vain.",
       "see whether they and their nodes still run, and end the job; linerate doctor log on "
       "their output says why"},
      {"ras-error", problem, "communicators with an error", ras, "",
       "A communicator with an error does not work again.",
       "linerate doctor log on the output of these ranks with NCCL_DEBUG=WARN names the first "
       "error"},
      {"ras-timeout", warning, "answers of processes that came too late", ras, "",
       "What RAS says is then not of the whole job.",
       "ask again, and look at the processes that it names"},
  };
}

std::vector<RuleText> texts_of_processes() {
  constexpr std::string_view process = "/proc/PID";
  return {
      {"stopped", problem, "a process that a signal or a debugger stopped", process,
       "if its state is T or t", "All other ranks wait for it.",
       "kill -CONT PID lets it go on; Ctrl-Z, a scheduler that suspends jobs, or a write to a "
       "terminal stops processes"},
      {"ended", problem, "a process that has ended", process,
       "if it is a zombie (state Z), or ends while it is looked at", "All other ranks wait for it.",
       "its log says why it ended, dmesg whether memory ran out; the job cannot go on"},
      {"waits-in-kernel", problem, "a thread that cannot be interrupted", process,
       "if it is in state D both times, in the same function",
       "It waits for a file system, a disk, a driver or a GPU.",
       "look at what it waits for: dmesg, df and ls on the file systems that it uses, nvidia-smi; "
       "signals do not end such a wait"},
      {"no-acknowledgement", problem, "a TCP connection whose other side does not answer", process,
       "if packets were sent again three times in a row or more",
       "The operation that sends over it does not end.",
       "that host is down, or packets are lost on the way: ping -M do -s 8972 HOST (MTU), the "
       "firewall, link counters with linerate doctor there"},
      {"same-rank", problem, "two processes with one RANK", process, "",
       "They cannot both join the job.",
       "processes of one job need it each its own: look at what starts them; or name the "
       "processes of one job"},
      {"settings-differ", problem, "WORLD_SIZE, MASTER_ADDR or MASTER_PORT that differ", process,
       "", "Processes of one job then wait for each other in different places.",
       "processes of one job need it alike: look at what starts them; or name the processes of "
       "one job"},
      {"spins", warning, "a thread that keeps a processor busy", process,
       "if it runs 90 % of the time; as a note, and as a warning where most processes do something "
       "else",
       "A job that waits looks the same from outside.",
       "that is work, or a wait that polls, as that for a GPU or for shared memory is: py-spy "
       "dump --pid PID shows where"},
      {"waits", warning, "a process that does nothing", process,
       "if it runs less than 5 % of the time; as a note, and as a warning where most processes do "
       "something else",
       "It waits for what the finding names: a lock, a connection, a file system, a child.",
       "py-spy dump --pid PID shows where; of PyTorch the flight recorder's dumps say in which "
       "collective"},
      {"works", warning, "a process that works and waits in turns", process,
       "as a note, and as a warning where most processes do something else",
       "It goes on, perhaps slowly.",
       "it may be slow rather than hang: look at its log, and again"},
  };
}

std::vector<RuleText> bare_texts() {
  auto texts = texts_of_dumps();
  for (auto more : {texts_of_ras(), texts_of_processes()})
    std::ranges::move(more, std::back_inserter(texts));
  return texts;
}

}  // namespace

std::vector<RuleText> rule_texts() {
  auto texts = bare_texts();
  for (auto& text : texts) text.example = example_of(text.id);
  return texts;
}

Finding found(std::string_view id, std::string subject, std::string evidence, double confidence) {
  const auto texts = bare_texts();
  const auto rule = std::ranges::find(texts, id, &RuleText::id);
  return {.rule = std::string(id),
          .severity = rule->severity,
          .subject = std::move(subject),
          .evidence = std::move(evidence),
          .advice = std::string(rule->remedy),
          .confidence = confidence};
}

Finding left_out(const std::vector<std::string>& reasons, std::size_t ndumps) {
  const auto others = reasons.size() - 1;
  return found("dump-left-out", fmt::format("{} of {}", reasons.size(), counted(ndumps, "dump")),
               reasons.front() + (others > 0 ? fmt::format(" So are {} more.", others) : ""));
}

}  // namespace linerate::hang
