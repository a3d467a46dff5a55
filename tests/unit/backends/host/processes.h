// Ranks as real processes in tests: forked children that meet over one page each of shared memory.
#pragma once

#include "base/error.h"
#include "support/bootstrap.h"

#include <gtest/gtest.h>

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace linerate::host {

// Whether the kernel lets processes of one user reach each other's memory.
inline bool may_attach() {
  std::byte byte{}, copy{};
  const iovec local{&copy, 1};
  const iovec remote{&byte, 1};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == 1;
}

#define SKIP_UNLESS_ATTACHING() \
  if (!may_attach()) GTEST_SKIP() << "the kernel keeps processes out of each other's memory"

// What forked processes share; made before the fork.
class CommonPages {
 public:
  explicit CommonPages(int nprocesses) : nprocesses_(nprocesses) {
    const std::size_t bytes = kPage * static_cast<std::size_t>(nprocesses + 1);
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw SystemError(errno, "mmap");
    base_ = static_cast<std::byte*>(memory);
    pthread_barrierattr_t attributes;
    pthread_barrierattr_init(&attributes);
    pthread_barrierattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(barrier(), &attributes, static_cast<unsigned>(nprocesses));
  }
  ~CommonPages() { munmap(base_, kPage * static_cast<std::size_t>(nprocesses_ + 1)); }
  CommonPages(const CommonPages&) = delete;
  CommonPages& operator=(const CommonPages&) = delete;

  void wait() const { pthread_barrier_wait(barrier()); }
  void write(int rank, std::span<const std::byte> bytes) const {
    if (bytes.size() > kPage - sizeof(std::size_t)) throw Error("too long for a test's page");
    const std::size_t size = bytes.size();
    std::memcpy(page(rank), &size, sizeof(size));
    if (size > 0) std::memcpy(page(rank) + sizeof(size), bytes.data(), size);
  }
  Bytes read(int rank) const {
    std::size_t size = 0;
    std::memcpy(&size, page(rank), sizeof(size));
    return {page(rank) + sizeof(size), page(rank) + sizeof(size) + size};
  }

 private:
  static constexpr std::size_t kPage = 65536;
  pthread_barrier_t* barrier() const { return reinterpret_cast<pthread_barrier_t*>(base_); }
  std::byte* page(int rank) const { return base_ + kPage * static_cast<std::size_t>(rank + 1); }

  int nprocesses_;
  std::byte* base_ = nullptr;
};

// One process' endpoint.
class ForkedBootstrap final : public GatheringBootstrap {
 public:
  ForkedBootstrap(const CommonPages& pages, int rank, int nranks)
      : GatheringBootstrap(
            rank, nranks,
            {.hostname = {}, .identity = {}, .local_rank = rank, .local_nranks = nranks}),
        pages_(pages) {}

  void barrier(const Deadline&) override { pages_.wait(); }
  std::vector<Bytes> all_gather(std::span<const std::byte> mine, const Deadline&) override {
    pages_.write(rank(), mine);
    pages_.wait();
    std::vector<Bytes> all;
    for (int other = 0; other < nranks(); ++other) all.push_back(pages_.read(other));
    pages_.wait();
    return all;
  }

 private:
  const CommonPages& pages_;
};

// What `body` yields, in a child of its own: for limits and signals, which a process cannot take
// back. -1 when the child is killed. It ends after 10 s whatever it does.
template <typename Body>
int exit_code_of_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);
    _exit(body());
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Waits for all children. The first that fails fails the test and ends the others, which may wait
// for it without end.
inline void await(std::vector<pid_t> children) {
  for (bool failed = false; !children.empty();) {
    int status = 0;
    const pid_t ended = waitpid(-1, &status, 0);
    ASSERT_GT(ended, 0) << "waitpid: " << std::strerror(errno);
    std::erase(children, ended);
    if (status == 0 || failed) continue;
    failed = true;
    ADD_FAILURE() << "a process ended with the status " << status;
    for (const pid_t child : children) kill(child, SIGKILL);
  }
}

// Runs `body` in `nprocesses` children, which end with their parent; an exception or a failed
// expectation in one fails the test.
inline void run_processes(int nprocesses, const std::function<void(Bootstrap&)>& body) {
  const CommonPages pages(nprocesses);
  std::vector<pid_t> children;
  for (int rank = 0; rank < nprocesses; ++rank) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    try {
      ForkedBootstrap process(pages, rank, nprocesses);
      body(process);
    } catch (const std::exception& error) {
      ADD_FAILURE() << "process " << rank << ": " << error.what();
      _exit(1);
    }
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  await(std::move(children));
}

}  // namespace linerate::host
