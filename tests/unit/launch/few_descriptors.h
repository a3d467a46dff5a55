// A process without descriptors to open, and what it costs to wait in it.
#pragma once

#include "base/error.h"
#include "base/handle.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>

#include <vector>

namespace linerate {

// While it lives, this process can open `spare` more files.
class FewDescriptors {
 public:
  explicit FewDescriptors(int spare) {
    check_system(::getrlimit(RLIMIT_NOFILE, &before_), "getrlimit");
    // The lowest free numbers; the limit is the first that may not be used.
    std::vector<FileDescriptor> free;
    for (int i = 0; i <= spare; ++i)
      free.emplace_back(check_system(::open("/dev/null", O_RDONLY | O_CLOEXEC), "open"));
    auto limit = before_;
    limit.rlim_cur = static_cast<rlim_t>(free.back().get());
    check_system(::setrlimit(RLIMIT_NOFILE, &limit), "setrlimit");
  }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { (void)::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

// Of all threads of this process.
inline double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace linerate
