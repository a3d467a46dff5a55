// What each finding means, in words.
#include "diagnose/hang/hang.h"

#include <algorithm>
#include <iterator>

namespace linerate::hang {

namespace {

std::vector<RuleText> texts_of_dumps() {
  using enum Severity;
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
       "The program is right so far: the network or a GPU holds it up.",
       "linerate doctor on the nodes, and linerate doctor log on the output with NCCL_DEBUG=INFO; "
       "where it has not started, look at what was launched on that GPU before"},
      {"no-dump", problem, "ranks of a group without a dump", dumps,
       "if others wait in a collective; as a warning if they are most of the group, or ranks with "
       "a dump are missing too",
       "What they did last is not known. A rank that wrote none has died, or hangs outside of "
       "PyTorch.",
       "give the dumps of all ranks; look at the log of a rank that wrote none"},
      {"dump-left-out", warning, "dumps that cannot be read", dumps,
       "if others can: those of all alone are refused",
       "A rank that is killed while it writes leaves a dump that is cut.",
       "look at the log of that rank"},
  };
}

std::vector<RuleText> texts_of_processes() {
  using enum Severity;
  constexpr std::string_view process = "/proc/PID";
  return {
      {"stopped", problem, "a process that a signal or a debugger stopped", process,
       "if its state is T or t", "All other ranks wait for it.",
       "kill -CONT PID lets it go on; let a debugger go on or detach"},
      {"ended", problem, "a process that has ended", process,
       "if it is a zombie (state Z), or ends while it is looked at", "The job cannot go on.",
       "its log says why it ended, dmesg whether memory ran out"},
      {"waits-in-kernel", problem, "a thread that cannot be interrupted", process,
       "if it is in state D both times, in the same function",
       "It waits for a file system, a disk, a driver or a GPU; signals do not end that.",
       "look at what it waits for: dmesg, df and ls on the file systems that it uses, nvidia-smi"},
      {"no-acknowledgement", problem, "a TCP connection whose other side does not answer", process,
       "if packets were sent again three times in a row or more",
       "That host is down, or packets are lost on the way.",
       "ping -M do -s 8972 HOST (MTU), the firewall, linerate doctor there"},
      {"same-rank", problem, "two processes with one RANK", process, "",
       "They cannot both join the job.",
       "look at what starts them; or name the processes of one job"},
      {"settings-differ", problem, "WORLD_SIZE, MASTER_ADDR or MASTER_PORT that differ", process,
       "", "Processes of one job then wait for each other in different places.",
       "look at what starts them; or name the processes of one job"},
      {"spins", warning, "a thread that keeps a processor busy", process,
       "if it runs 90 % of the time; as a note, and as a warning where most processes do something "
       "else",
       "That is work, or a wait that polls, as that for a GPU or for shared memory is.",
       "py-spy dump --pid PID shows where"},
      {"waits", warning, "a process that does nothing", process,
       "if it runs less than 5 % of the time; as a note, and as a warning where most processes do "
       "something else",
       "It waits for what the finding names: a lock, a connection, a file system, a child.",
       "py-spy dump --pid PID shows where; the flight recorder's dumps say in which collective"},
      {"works", warning, "a process that works and waits in turns", process,
       "as a note, and as a warning where most processes do something else",
       "It may be slow rather than hang.", "look at its log, and again"},
  };
}

}  // namespace

std::vector<RuleText> rule_texts() {
  auto texts = texts_of_dumps();
  std::ranges::move(ras_texts(), std::back_inserter(texts));
  std::ranges::move(texts_of_processes(), std::back_inserter(texts));
  return texts;
}

}  // namespace linerate::hang
