// What makes a difference to speed only, and how the ranks of a job come to agree on it.
#pragma once

#include "backends/host/host_backend.h"
#include "backends/host/selection.h"
#include "comm/bootstrap.h"
#include "topo/machine.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace linerate::host {

// The same on all ranks of a job.
struct Tuning {
  std::shared_ptr<const std::vector<Rule>> rules{};
  std::size_t cache_bytes = 0;  // of the last-level caches that the ranks reach; 0: unknown
  std::vector<int> marks{};     // of each world rank: equal ones are close to each other
  std::shared_ptr<const Network> network{};  // that is emulated; null: none
};

// What one process contributes; its threads may use it at once.
class TuningSource {
 public:
  explicit TuningSource(const HostOptions& options) : options_(options) {}

  // Asks for what agree() needs to know of the machine, so that it need not take the time: 3 ms.
  void prepare() { (void)machine(); }

  // Collective over `bootstrap`: the table is the one that rank 0 finds. `oversubscribed`: more
  // ranks than cores; equal on all.
  Tuning agree(Bootstrap& bootstrap, bool oversubscribed, const Deadline& deadline);

  // Where the rules are from, for records; empty before agree().
  std::string text() const;

 private:
  const Machine& machine();
  int own_mark();
  std::string table_to_tell(int rank);

  const HostOptions options_;
  std::once_flag asked_;
  Machine machine_;
  mutable std::mutex mutex_;
  std::string text_;
};

}  // namespace linerate::host
