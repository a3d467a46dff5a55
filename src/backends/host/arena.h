// The memory that all ranks of a job map: without a name, pages only when touched. Of several
// processes it is a memory file; of one it is the process' own, which gets huge pages wherever
// madvise() brings them, as files seldom do (/sys/kernel/mm/transparent_hugepage/shmem_enabled).
#pragma once

#include "base/handle.h"
#include "base/pages.h"
#include "comm/buffer.h"

#include <cstddef>
#include <cstdint>

namespace linerate::host {

// Where bytes of a rank lie, in a form that other ranks understand: an offset into the arena, or an
// address that is valid in that rank's process only. The default is no place (offset 0 is control
// memory, never a buffer).
class Location {
 public:
  Location() = default;
  static Location in_arena(std::size_t offset) { return Location(offset); }
  static Location in_process(const std::byte* address) {
    return Location(reinterpret_cast<std::uintptr_t>(address) | kPrivate);
  }

  bool is_private() const { return (bits_ & kPrivate) != 0; }
  std::size_t offset() const { return bits_; }
  std::byte* address() const {
    return reinterpret_cast<std::byte*>(bits_ & ~kPrivate);  // NOLINT(performance-no-int-to-ptr)
  }

  friend bool operator==(Location, Location) = default;

 private:
  // User addresses have fewer than 63 bits on every machine that Linux runs on.
  static constexpr std::uint64_t kPrivate = std::uint64_t{1} << 63;
  explicit Location(std::uint64_t bits) : bits_(bits) {}

  std::uint64_t bits_ = 0;
};

// How an arena is divided; every process computes the same one.
struct ArenaLayout {
  int nranks = 1;
  std::size_t control_bytes = 0;  // of the first group, at offset 0; a multiple of the huge page
  std::size_t region_bytes = 0;   // of each rank; a multiple of the huge page

  std::size_t region_offset(int rank) const {
    return control_bytes + static_cast<std::size_t>(rank) * region_bytes;
  }
  std::size_t bytes() const { return region_offset(nranks); }
};

// A memory file without a name, of no size yet.
FileDescriptor create_memory_file();

// The most bytes, at most `wanted`, that this process can reserve now: of address space, leaving as
// much again for others where a limit (ulimit -v) is what stops it, and of a memory file, which
// obeys the limit of files (ulimit -f). 0: none.
std::size_t reservable_bytes(std::size_t wanted);

// One process' mapping. Immutable, so any thread may use it; unmapped with its owner.
class Arena {
 public:
  // Grows `file` to the layout's size (sparse) and maps it. Without a file the memory is the
  // process' own, which its children do not have; a new file where the system lets none of its own
  // be reserved (ulimit -d, vm.overcommit_memory=2). Throws SystemError.
  Arena(FileDescriptor file, const ArenaLayout& layout);
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  const ArenaLayout& layout() const { return layout_; }
  std::byte* at(std::size_t offset) const { return base_ + offset; }
  bool contains(const std::byte* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(base_) <
           bytes_;
  }

  Location locate(const std::byte* address) const {
    if (contains(address)) return Location::in_arena(static_cast<std::size_t>(address - base_));
    return address == nullptr ? Location() : Location::in_process(address);
  }
  // REQUIRES: in the arena, or an address of this process.
  std::byte* address_of(Location where) const {
    return where.is_private() ? where.address() : base_ + where.offset();
  }

  // Makes the pages of [offset, offset + bytes) present, placed by the calling thread. Throws Error
  // when memory runs out.
  void populate(std::size_t offset, std::size_t bytes) const;

  // Returns the whole pages inside the range to the system; they read as zeros afterwards. False
  // when the kernel cannot.
  bool discard(std::size_t offset, std::size_t bytes) const noexcept;

 private:
  // Of mmap(). False, and errno, when it cannot be had.
  bool map(int flags);

  FileDescriptor file_;  // empty: memory of the process
  ArenaLayout layout_;
  std::size_t bytes_ = 0;
  std::byte* base_ = nullptr;
};

}  // namespace linerate::host
