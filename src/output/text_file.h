// A file that gets whole texts, each with one write(2): what was written survives a SIGKILL.
#pragma once

#include "base/handle.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace linerate {

// One thread at a time; not buffered. The failure of an open is the user's input, so a sentence.
class TextFile {
 public:
  // The process's stdout or stderr, as it is now: later changes of descriptor 1 or 2 do not matter.
  static TextFile standard_output();
  static TextFile standard_error();
  // Behind what `path` holds already; created where it does not exist. A pipe that nobody reads is
  // waited for until `interrupted` says so, which ends the program as a signal does.
  static Result<TextFile> append(const std::string& path,
                                 const std::function<bool()>& interrupted = {});
  // A file that did not exist: `path`, or else the first free one of path.0, path.1, …
  static Result<TextFile> create_new(const std::string& path);
  // An open descriptor; `name` stands in messages.
  TextFile(FileDescriptor fd, std::string name);

  // Throws SystemError when the text cannot be written whole, also when the reader of a pipe is
  // gone. REQUIRES: the process ignores SIGPIPE. After one failure further texts are dropped in
  // silence, so that a footer may follow an error.
  void write(std::string_view text);

  // Puts `text` in the place of `old_end`, with which a file of create_new() ends, by one
  // pwrite(2): readers, and a SIGKILL, find the old text or the new. Where that fails, throws as
  // write() does, and `old_end` stands again. REQUIRES: `text` is not shorter.
  void replace_end(std::string_view old_end, std::string_view text);

  // Calls `body` while no other process is within such a call for the same file, as far as the
  // file system has locks.
  void exclusively(const std::function<void()>& body);

  const std::string& path() const { return path_; }
  bool terminal() const;
  // The first `limit` bytes that a regular file holds now. Empty for pipes and devices.
  std::string beginning(std::size_t limit) const;
  // False for a regular file that holds text whose last byte is not a line end.
  bool ends_with_line() const;
  // Removes what stands behind the last line end of a regular file: a line that a killed process
  // has not finished. REQUIRES: nobody else writes.
  void drop_torn_line();

 private:
  std::size_t read_at(std::string& into, std::int64_t offset) const;

  FileDescriptor fd_;
  std::string path_;
  bool broken_ = false;
  std::uint64_t replaced_bytes_ = 0;  // the length of what replace_end() has written
};

}  // namespace linerate
