// The exit codes of every program and backend.
#pragma once

namespace linerate {

enum class ExitCode : int {
  ok = 0,
  failed = 1,         // wrong data, or a library or system call failed
  usage = 2,          // the command line, a file or a variable given by the user
  finding = 3,        // a finding, or bandwidth below the limit asked for
  lost = 4,           // timeout, or a rank was lost
  unavailable = 5,    // hardware, driver, module or library asked for is not here
  interrupted = 130,  // Ctrl-C
};

}  // namespace linerate
