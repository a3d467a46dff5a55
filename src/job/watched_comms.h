// Communicators that another thread may have to abort.
#pragma once

#include "comm/communicator.h"

#include <cstdint>
#include <mutex>
#include <vector>

namespace linerate {

// The communicators of a thread for the watch's thread, as long as they live. Safe from any thread.
class WatchedComms {
 public:
  // `comm` may be null: nothing to watch. Aborted at once when abort_all() came before it.
  void add(Communicator* comm);

  // Forgets them; call before they are destroyed.
  void clear();

  // Lets no new call begin, on those that are still to come neither. True where abort() frees what
  // calls under way use.
  bool stop_all() noexcept;

  // Ends the calls of those that live and of those that are still to come.
  void abort_all() noexcept;

  // Of all that were ever added.
  std::uint64_t calls_begun() const;

 private:
  mutable std::mutex mutex_;
  std::vector<Communicator*> comms_;
  std::uint64_t ended_calls_ = 0;  // of those that live no more
  bool stopped_ = false, aborted_ = false;
};

}  // namespace linerate
