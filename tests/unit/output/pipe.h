// A pipe whose writing end is a TextFile.
#pragma once

#include "output/text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>

namespace linerate {

class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    reader_ = FileDescriptor(ends[0]);
    writer_ = FileDescriptor(ends[1]);
  }

  // Once.
  TextFile writer() { return {std::move(writer_), "a pipe"}; }
  int writing_end() const { return writer_.get(); }
  // A write then fails, because SIGPIPE is ignored as in the program.
  void close_reader() {
    std::signal(SIGPIPE, SIG_IGN);
    reader_.close();
  }
  // What one read(2) yields; a pipe gives one write back when it is not larger than the buffer.
  std::string read() {
    std::string text(65536, '\0');
    const auto got = ::read(reader_.get(), text.data(), text.size());
    text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return text;
  }

 private:
  FileDescriptor reader_, writer_;
};

}  // namespace linerate
