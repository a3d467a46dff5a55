// Stand-ins in the arena for buffers that peers cannot reach where they are.
#pragma once

#include "backends/host/region.h"
#include "backends/host/team.h"
#include "comm/op.h"

#include <memory>

namespace linerate::host {

// The buffers of this rank that its peers touch in a call.
struct Exposure {
  bool send = false;
  bool recv = false;
};

// Of one communicator; used by the thread that uses it. Stand-ins are kept for the next call.
class Staging {
 public:
  // `team` outlives this.
  Staging(const Team& team, std::shared_ptr<Region> region)
      : team_(team), region_(std::move(region)) {}

  // False: peers touch nothing of `op`, or reach it where it is, and it may be made as it is.
  bool may_be_needed(const Op& op, const Exposure& exposure) const {
    if (!exposure.send && !exposure.recv) return false;
    return has_no_in_place_form(op.kind) || team_.is_private(op.send.data()) ||
           team_.is_private(op.recv.data());
  }

  // The call to make in place of `op`: the same one where peers reach what they touch. A buffer
  // outside of the arena that ranks of other processes touch is replaced, but for a large one that
  // they can attach to; so is a send buffer that overlaps recv in calls that have no in-place form.
  // Throws Error where memory runs out.
  Op stage(const Op& op, const Exposure& exposure);
  // Brings what `staged` received to where `op` wants it.
  void unstage(const Op& op, const Op& staged) const;

  // Whether a buffer outside of the arena was ever replaced, and ever left to peers as it is.
  bool used() const { return used_; }
  bool attached() const { return attached_; }

 private:
  // Calls without an in-place form: timed in place all the same, so they must not race.
  static bool has_no_in_place_form(OpKind kind) {
    return kind == OpKind::send_recv || kind == OpKind::all_to_all_v;
  }
  std::size_t attach_bytes(OpKind kind) const;
  bool out_of_reach(ConstView view, OpKind kind);

  const Team& team_;
  std::shared_ptr<Region> region_;
  Buffer send_;
  Buffer recv_;
  bool used_ = false;
  bool attached_ = false;
};

}  // namespace linerate::host
