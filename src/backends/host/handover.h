// Gives a file descriptor to other processes of this host and user.
#pragma once

#include "base/clock.h"
#include "base/handle.h"

#include <string>

namespace linerate::host {

// A name that nobody else uses or guesses, for one handover. Throws SystemError.
std::string unique_name();

// The giving side. Listens on an abstract Unix socket, which is bound to the network namespace and
// vanishes with its owner. Processes of other users are turned away.
class FileServer {
 public:
  explicit FileServer(const std::string& name);

  // Gives `file` to `nclients` processes. Throws TimeoutError when they do not all come in time,
  // and SystemError.
  void serve(int file, int nclients, const Deadline& deadline);

 private:
  bool serve_one(int file);

  FileDescriptor listener_;
};

// The taking side; the server must be listening already. Throws Error.
FileDescriptor fetch_file(const std::string& name, const Deadline& deadline);

}  // namespace linerate::host
