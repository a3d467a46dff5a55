#include "backends/host/arena.h"

#include "base/error.h"
#include "base/units.h"

#include <fmt/format.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

namespace linerate::host {
namespace {

// MADV_POPULATE_WRITE of Linux 5.14, for C libraries that do not name it yet.
constexpr int kPopulateWrite = 23;

bool can_reserve(std::size_t bytes) {
  void* const memory =
      mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  munmap(memory, bytes);
  return true;
}

// Of the memory file too: growing it beyond ends the process by SIGXFSZ.
std::size_t file_size_limit() {
  rlimit limit{};
  check_system(getrlimit(RLIMIT_FSIZE, &limit), "getrlimit(RLIMIT_FSIZE)");
  return limit.rlim_cur == RLIM_INFINITY ? std::numeric_limits<std::size_t>::max()
                                         : static_cast<std::size_t>(limit.rlim_cur);
}

}  // namespace

FileDescriptor create_memory_file() {
  return FileDescriptor(check_system(memfd_create("linerate", MFD_CLOEXEC), "memfd_create"));
}

std::size_t reservable_bytes(std::size_t wanted) {
  wanted = std::min(wanted, file_size_limit());
  if (can_reserve(wanted)) return wanted;
  std::size_t bytes = wanted / 2;
  while (bytes >= kHugePageBytes && !can_reserve(bytes)) bytes /= 2;
  return bytes >= kHugePageBytes ? bytes / 2 : 0;
}

Arena::Arena(FileDescriptor file, const ArenaLayout& layout)
    : file_(std::move(file)), layout_(layout), bytes_(layout.bytes()) {
  if (!file_ && map(MAP_PRIVATE | MAP_ANONYMOUS)) {
    (void)madvise(base_, bytes_, MADV_DONTFORK);  // a child would make each write copy its page
    return;
  }
  if (!file_) file_ = create_memory_file();
  check_system(ftruncate(file_.get(), static_cast<off_t>(bytes_)), "ftruncate");
  if (!map(MAP_SHARED)) throw SystemError(errno, fmt::format("mmap of {} bytes", bytes_));
}

Arena::~Arena() { munmap(base_, bytes_); }

bool Arena::map(int flags) {
  void* const memory =
      mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, flags | MAP_NORESERVE, file_.get(), 0);
  if (memory == MAP_FAILED) return false;
  base_ = static_cast<std::byte*>(memory);
  (void)madvise(base_, bytes_, MADV_DONTDUMP);  // terabytes of holes would end up in core files
  return true;
}

void Arena::populate(std::size_t offset, std::size_t bytes) const {
  const std::size_t begin = round_down(offset, page_bytes());
  const std::size_t end = round_up(offset + bytes, page_bytes());
  if (madvise(at(begin), end - begin, kPopulateWrite) == 0) return;
  if (errno != EINVAL)
    throw SystemError(
        errno, fmt::format("Shared memory of {} cannot be made present", bytes_text(end - begin)));
  touch({at(offset), bytes});
}

bool Arena::discard(std::size_t offset, std::size_t bytes) const noexcept {
  const std::size_t begin = round_up(offset, page_bytes());
  const std::size_t end = round_down(offset + bytes, page_bytes());
  const int advice = file_ ? MADV_REMOVE : MADV_DONTNEED;
  return begin >= end || madvise(at(begin), end - begin, advice) == 0;
}

}  // namespace linerate::host
