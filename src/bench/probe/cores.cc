#include "bench/probe/cores.h"

#include "base/error.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <vector>

namespace linerate::probe {
namespace {

constexpr int kMaxCores = 1 << 20;  // no kernel has more

// A set of hardware threads that may be larger than a cpu_set_t, which ends at 1024.
class CoreSet {
 public:
  explicit CoreSet(int ncores) : words_(CPU_ALLOC_SIZE(ncores) / sizeof(Word)) {}

  std::size_t bytes() const { return words_.size() * sizeof(Word); }
  cpu_set_t* data() { return reinterpret_cast<cpu_set_t*>(words_.data()); }
  void add(int core) { CPU_SET_S(core, bytes(), data()); }
  bool has(int core) { return CPU_ISSET_S(core, bytes(), data()); }
  int size() const { return static_cast<int>(bytes()) * 8; }

 private:
  using Word = unsigned long;  // of which the kernel's masks are made
  std::vector<Word> words_;
};

// The kernel refuses sets smaller than its own with EINVAL.
CoreSet allowed_set() {
  for (int ncores = CPU_SETSIZE;; ncores *= 2) {
    CoreSet set(ncores);
    const int failed = ::sched_getaffinity(0, set.bytes(), set.data());
    if (failed == 0) return set;
    if (errno != EINVAL || ncores >= kMaxCores) check_system(failed, "sched_getaffinity");
  }
}

// Yields 0, or -1 and errno.
int bind_to(std::span<const int> cores) {
  const auto [least, most] = std::ranges::minmax(cores);
  if (least < 0 || most >= kMaxCores) return errno = EINVAL, -1;
  CoreSet set(most + 1);
  for (const int core : cores) set.add(core);
  return ::sched_setaffinity(0, set.bytes(), set.data());
}
int bind_to(int core) { return bind_to({&core, 1}); }

}  // namespace

std::vector<int> allowed_cores() {
  auto set = allowed_set();
  std::vector<int> cores;
  for (int core = 0; core < set.size(); ++core)
    if (set.has(core)) cores.push_back(core);
  return cores;
}

int ncores() { return static_cast<int>(allowed_cores().size()); }

void pin_this_thread(int index) {
  const auto cores = allowed_cores();
  check_system(bind_to(cores[static_cast<std::size_t>(index) % cores.size()]), "sched_setaffinity");
}

bool pin_to(int os_index) { return bind_to(os_index) == 0; }

bool move_to_any(std::span<const int> cores) { return !cores.empty() && bind_to(cores) == 0; }

}  // namespace linerate::probe
