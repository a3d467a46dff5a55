// Failures of libraries, the system and peers, thrown where they happen and caught once, in main;
// and the exit code that a run ends with.
#pragma once

#include <cerrno>
#include <cstring>
#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace linerate {

enum class ExitCode : int {
  ok = 0,
  failed = 1,         // wrong data, or a library or system call failed
  usage = 2,          // the command line, a file or a variable given by the user
  finding = 3,        // a limit asked for is missed, or topo --lint found something
  lost = 4,           // timeout, or a rank was lost
  unavailable = 5,    // hardware, driver, module or library asked for is not here
  interrupted = 130,  // Ctrl-C
};

// What every thrown failure carries: a full sentence, the run's exit code, and where it was found.
class Error : public std::runtime_error {
 public:
  explicit Error(const std::string& sentence, ExitCode exit_code = ExitCode::failed,
                 std::source_location where = std::source_location::current())
      : std::runtime_error(sentence), exit_code_(exit_code), where_(where) {}

  ExitCode exit_code() const { return exit_code_; }
  const std::source_location& where() const { return where_; }

 private:
  ExitCode exit_code_;
  std::source_location where_;
};

// A system call failed; `code` is its errno.
class SystemError : public Error {
 public:
  SystemError(int code, std::string_view call,
              std::source_location where = std::source_location::current())
      : Error(std::string(call) + ": " + std::strerror(code) + " (errno " + std::to_string(code) +
                  ")",
              ExitCode::failed, where),
        code_(code) {}

  int code() const { return code_; }

 private:
  int code_;
};

// Hardware, a driver, a module or a library that was asked for is not here (exit 5).
class Unavailable : public Error {
 public:
  explicit Unavailable(const std::string& sentence,
                       std::source_location where = std::source_location::current())
      : Error(sentence, ExitCode::unavailable, where) {}
};

// Memory that was asked for is not here: less of it may be.
class OutOfMemory : public Error {
 public:
  using Error::Error;
};

// Peers died or gave up; `ranks` are the lost ones, as far as they are known (exit 4).
class PeerFailure : public Error {
 public:
  explicit PeerFailure(const std::string& sentence, std::vector<int> ranks = {},
                       std::source_location where = std::source_location::current())
      : Error(sentence, ExitCode::lost, where), ranks_(std::move(ranks)) {}

  const std::vector<int>& ranks() const { return ranks_; }

 private:
  std::vector<int> ranks_;
};

// A call ended because another rank aborted its communicator: an echo of the cause, never the cause
// (exit 4).
class Aborted : public PeerFailure {
 public:
  using PeerFailure::PeerFailure;
};

// A deadline passed (exit 4).
class TimeoutError : public Error {
 public:
  explicit TimeoutError(const std::string& sentence,
                        std::source_location where = std::source_location::current())
      : Error(sentence, ExitCode::lost, where) {}
};

// Throws SystemError when `result` is negative; otherwise yields it. Reads errno.
inline int check_system(int result, std::string_view call,
                        std::source_location where = std::source_location::current()) {
  if (result < 0) throw SystemError(errno, call, where);
  return result;
}

}  // namespace linerate
