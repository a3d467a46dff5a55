// What describes and steers a communicator, beside what makes its calls.
#pragma once

#include "base/clock.h"
#include "comm/op.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate {

// One communicator's; used by the thread that uses the communicator, whose streams are idle. The
// defaults are those of a backend that decides alone and does not tell.
class Inspector {
 public:
  virtual ~Inspector() = default;

  // As records name it: "shared memory", "MPI", …; "TCP", or "TCP on eth0,eth1" where it is known
  // which interfaces it uses, where nothing but TCP carries data between hosts.
  virtual std::string transport() const = 0;

  // Why there is no call of the kind, type and operator of `op`, in a sentence; empty: there is
  // one. The same on all ranks.
  virtual std::string refusal(const Op&) const { return {}; }

  // The algorithms that this backend can be told to use; empty: it decides alone, or does not tell.
  virtual std::vector<std::string_view> algorithms() const { return {}; }
  // Those of them that are defined for calls of `kind` on this communicator.
  virtual std::vector<std::string_view> algorithms(OpKind) const { return {}; }
  // From the next call on, all calls for which `name` is defined take it; empty: the backend
  // chooses again. REQUIRES: one of algorithms(), or empty; the same on all ranks.
  virtual void use_algorithm(std::string_view) {}

  // Whether the calls from now on are looked at for last_call(), which costs time where it is the
  // library that has to tell (NCCL): so never inside a timed region. Off at first.
  virtual void observe(bool) {}
  // Of the latest call that is complete; where the library has to tell, of the latest observed one.
  virtual CallFacts last_call() const { return {}; }

  // When this rank's latest call ended by a model that the backend has of itself (fake, emulated
  // networks), and when it would have ended if nothing had been wrong in any of its calls, on the
  // device's clock. Only differences mean something: what was lost over any calls, and how long
  // calls took that follow each other without a barrier. Nothing: there is no such model.
  virtual std::optional<ModeledTime> modeled_time() const { return std::nullopt; }
};

}  // namespace linerate
