// The order in which the fakes were called.
#pragma once

#include <string>
#include <vector>

namespace linerate {

// What is called while it lives, by any thread: "ncclSend 0>1", "ncclMemFree", … One at a time.
class FakeLog {
 public:
  FakeLog();
  ~FakeLog();
  FakeLog(const FakeLog&) = delete;
  FakeLog& operator=(const FakeLog&) = delete;

  // Those that begin with one of `names`, in order.
  std::vector<std::string> calls(const std::vector<std::string>& names) const;
};

// Of the fakes; nothing where no log lives.
void log_fake_call(const std::string& call);

}  // namespace linerate
