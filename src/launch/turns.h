// Programs that are measured side by side take turns: while one measures, the others wait. What
// disturbs the machine for longer than a turn then disturbs all of them alike, and drops out of
// their ratio (Bulej et al., Duet Benchmarking, ICPE 2020, which runs both at the very same time).
//
// `linerate compare --turns windows` keeps the turns, and LINERATE_TURNS tells rank 0 of each
// program whom to ask. The other ranks of the program wait for rank 0 meanwhile. A turn is a window
// of the collectives, a test of a round of pairs of p2p_perf, or a sample of memcpy_perf.
#pragma once

#include "base/handle.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace linerate {

// In a program that is measured. Used by one thread.
class TurnTaker {
 public:
  // Null where `address` is empty. Throws Error with ExitCode::usage where it is no address, and
  // ExitCode::unavailable where nobody keeps turns there.
  static std::unique_ptr<TurnTaker> at(std::string_view address);

  // Ends the turn that this program has, if any, and waits for its next one: at most until
  // `interrupted` says so. Once the keeper is gone it waits no more.
  void next(const std::function<bool()>& interrupted);

 private:
  explicit TurnTaker(FileDescriptor keeper) : keeper_(std::move(keeper)) {}

  FileDescriptor keeper_;  // empty: it is gone
};

// In the program that starts them: side 0, 1, … A side has its turn once all sides that have not
// ended wait for theirs, which then come in a fixed order.
class TurnKeeper {
 public:
  // `first` has the first turn. Listens from now on. Throws SystemError.
  TurnKeeper(std::size_t sides, std::size_t first);
  ~TurnKeeper();
  TurnKeeper(const TurnKeeper&) = delete;
  TurnKeeper& operator=(const TurnKeeper&) = delete;

  // What LINERATE_TURNS has to be in this side's program.
  std::string address(std::size_t side) const;

  // Grants turns, on a thread of its own, until destruction.
  void start();

  // The side's program has ended: nobody waits for it any more. Any thread.
  void ended(std::size_t side);

  // Whether the side ever asked for a turn. Any thread.
  bool asked(std::size_t side) const;

 private:
  class Table;
  std::unique_ptr<Table> table_;
};

}  // namespace linerate
