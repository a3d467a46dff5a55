#include "trainers/memory/mapped_file.h"

#include "base/error.h"
#include "base/handle.h"
#include "base/pages.h"
#include "base/units.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

namespace linerate::trainers {
namespace {

std::string cannot(const std::string& folder, std::string_view why) {
  return fmt::format("Cannot keep the optimizer's state in a file in '{}': {}.", folder, why);
}

// Without a name from the start, or at once where the file system knows no such files. Leaves why
// in errno where it fails.
FileDescriptor nameless_file(const std::string& folder) {
  FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
  if (file || (errno != EOPNOTSUPP && errno != EISDIR)) return file;
  auto name = folder + "/linerate-XXXXXX";
  file = FileDescriptor(::mkostemp(name.data(), O_CLOEXEC));
  if (file) check_system(::unlink(name.c_str()), fmt::format("unlink {}", name));
  return file;
}

// Before the disk is filled for nothing.
std::optional<std::string> no_room(int file, std::size_t bytes) {
  struct statvfs disk {};
  if (::fstatvfs(file, &disk) != 0) return {};
  const auto free = static_cast<std::size_t>(disk.f_bavail) * disk.f_frsize;
  if (bytes <= free) return {};
  return fmt::format("{} are needed, and only {} are free", bytes_text(bytes), bytes_text(free));
}

// With blocks of the disk, so that a write to the mapping finds room.
void make_room(int file, std::size_t bytes, const std::string& folder) {
  if (const auto why = no_room(file, bytes)) throw Error(cannot(folder, *why));
  int code = EINTR;
  while (code == EINTR) code = ::posix_fallocate(file, 0, static_cast<off_t>(bytes));
  if (code != 0) throw Error(cannot(folder, std::strerror(code)));
}

// Of the pages around `part`.
void advise(View part, int advice) {
  if (part.empty()) return;
  const auto before = reinterpret_cast<std::uintptr_t>(part.data()) % page_bytes();
  (void)::madvise(part.data() - before, before + part.size(), advice);
}

}  // namespace

Buffer mapped_file(const std::string& folder, std::size_t bytes) {
  assert(bytes > 0);
  const auto file = nameless_file(folder);
  if (!file) throw Error(cannot(folder, std::strerror(errno)), ExitCode::usage);
  make_room(file.get(), bytes, folder);
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (mapped == MAP_FAILED) throw Error(cannot(folder, std::strerror(errno)));
  return Buffer({static_cast<std::byte*>(mapped), bytes}, MemoryKind::host,
                [](View view) { (void)::munmap(view.data(), view.size()); });
}

std::optional<std::string> mapped_file_refusal(const std::string& folder) {
  if (nameless_file(folder)) return {};
  return cannot(folder, std::strerror(errno));
}

void read_ahead(View part) { advise(part, MADV_WILLNEED); }

void leave_memory(View part) { advise(part, MADV_DONTNEED); }

}  // namespace linerate::trainers
