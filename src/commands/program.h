// What surrounds a program's work: its standard streams, signals, and how failures become exit
// codes. linerate and the trainers begin here.
#pragma once

#include "base/error.h"

#include <functional>

namespace linerate {

// What signals have said so far.
struct Signals {
  std::function<bool()> interrupted;  // true after Ctrl-C or SIGTERM
  // Whether this process says on stderr that it heard these signals; it does at first.
  std::function<void(bool answers)> answer_interrupts;
};

// From now on Ctrl-C and its like ask to end, and end the process when they come again; or end it
// at once, where it has nothing to keep. Once in a process.
Signals catch_signals(bool keeps_what_it_has);

// Yields what main() returns. What `body` throws is said on stderr, and ends the process at once.
int run_program(const std::function<ExitCode()>& body);

}  // namespace linerate
