// Private memory of other processes: copied where the kernel allows it, and given up where not.
#include "backends/host/peer_memory.h"

#include "base/error.h"
#include "processes.h"
#include "ranks.h"

#include <gtest/gtest.h>

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace linerate::host {
namespace {

// From here on the kernel refuses this system call to this process, as containers do.
void forbid(unsigned call) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{.len = std::size(filter), .filter = filter};
  check_system(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "prctl");
  check_system(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), "prctl(PR_SET_SECCOMP)");
}

// A child that has ended, which its parent has not noticed, until this ends.
class Zombie {
 public:
  Zombie() : pid_(fork()) {
    if (pid_ == 0) _exit(0);
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT);
  }
  ~Zombie() { waitpid(pid_, nullptr, 0); }
  Zombie(const Zombie&) = delete;
  Zombie& operator=(const Zombie&) = delete;

  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

TEST(PeerMemory, IsCopiedFromAndTo) {
  SKIP_UNLESS_ATTACHING();
  run_processes(2, [](Bootstrap& process) {
    const auto deadline = Deadline::never();
    std::vector<std::byte> own(100'000, static_cast<std::byte>(process.rank() + 1));
    const auto pids = reachable_processes(process, {0, 1}, deadline);
    ASSERT_EQ(pids.size(), 2U);
    const auto addresses =
        all_values(process, reinterpret_cast<std::uintptr_t>(own.data()), deadline);
    const auto peer = static_cast<std::size_t>(1 - process.rank());
    const PeerBytes theirs{reinterpret_cast<std::byte*>(addresses[peer]), pids[peer]};

    std::vector<std::byte> got(own.size());
    copy_from(got.data(), theirs, got.size());
    process.barrier(deadline);
    const std::byte mark{static_cast<unsigned char>(7 + process.rank())};
    copy_to(theirs.after(99'999), &mark, 1);
    process.barrier(deadline);

    EXPECT_EQ(got, std::vector<std::byte>(own.size(), static_cast<std::byte>(peer + 1)));
    EXPECT_EQ(own.back(), static_cast<std::byte>(7 + peer));
    EXPECT_EQ(own.front(), static_cast<std::byte>(process.rank() + 1));
  });
}

TEST(PeerMemory, OfOneProcessNeedsNoCallOfTheKernel) {
  run_processes(1, [](Bootstrap& process) {
    forbid(SYS_process_vm_readv);
    EXPECT_TRUE(reachable_processes(process, {0}, Deadline::never()).empty());
  });
}

TEST(PeerMemory, IsOutOfReachForAllWhereOneMayNotReadOrWriteIt) {
  for (const unsigned call : {SYS_process_vm_readv, SYS_process_vm_writev})
    run_processes(3, [call](Bootstrap& process) {
      if (process.rank() == 1) forbid(call);
      EXPECT_TRUE(reachable_processes(process, {0, 1, 2}, Deadline::never()).empty());
    });
}

TEST(PeerMemory, OfAnEndedProcessIsALostPeer) {
  SKIP_UNLESS_ATTACHING();
  const Zombie zombie;
  std::byte byte{};
  try {
    copy_from(&byte, {&byte, zombie.pid(), 7}, 1);
    ADD_FAILURE() << "the copy came back";
  } catch (const PeerFailure& failure) {
    EXPECT_EQ(failure.ranks(), std::vector<int>{7});
  }
}

TEST(PeerMemory, ThatIsNotThereIsASystemError) {
  std::byte byte{};
  EXPECT_THROW(copy_from(&byte, {nullptr, getpid()}, 1), SystemError);
}

TEST(EndedProcess, IsKnownBeforeItsParentNotices) {
  SKIP_UNLESS_ATTACHING();
  const Zombie zombie;
  EXPECT_TRUE(has_ended(zombie.pid()));
  EXPECT_FALSE(has_ended(getpid()));
}

TEST(ForbiddenAttaching, LeavesTheCallsAsTheyAre) {
  run_processes(2, [](Bootstrap& process) {
    forbid(SYS_process_vm_readv);
    run_ranks_of(process, {.nranks = 1}, [](Rank rank) {
      std::vector<float> values(std::size_t{1} << 18, 1.0F);
      const auto bytes = std::as_writable_bytes(std::span(values));

      rank.comm.all_reduce({bytes, bytes, values.size()}, {}, rank.stream);

      EXPECT_EQ(values, std::vector<float>(values.size(), 2.0F));
      EXPECT_EQ(rank.comm.inspector().transport(), "shared memory, staged");
    });
  });
}

}  // namespace
}  // namespace linerate::host
