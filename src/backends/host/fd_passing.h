// Gives a file descriptor to other processes of this job, host and user.
#pragma once

#include "base/clock.h"
#include "base/handle.h"

#include <string>

namespace linerate::host {

// What a process must hold to fetch a file: the name of a socket, which everybody on the host can
// see, and a key that only the job knows. For one transfer. Throws SystemError.
std::string new_ticket();

// The giving side. Listens on an abstract Unix socket. Strangers, who do not know the key, cost
// nothing; nor do processes of other users.
class FdServer {
 public:
  explicit FdServer(const std::string& ticket);

  // Gives `file` to `nclients` processes. Throws TimeoutError when they do not all come in time,
  // and SystemError.
  void serve(int file, int nclients, const Deadline& deadline);

 private:
  std::string key_;
  FileDescriptor listener_;
};

// The taking side; the server must be listening already. Throws Error.
FileDescriptor fetch_file(const std::string& ticket, const Deadline& deadline);

}  // namespace linerate::host
