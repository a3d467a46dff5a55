#include "benchmarks/channel.h"

#include "base/error.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace linerate::benchmarks {

Channel::Channel(const std::string& path)
    : fd_(check_system(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "socket")) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) throw SystemError(ENAMETOOLONG, path);
  std::memcpy(address.sun_path, path.data(), path.size());
  check_system(::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
               "connect to " + path);
}

std::optional<std::string> Channel::read_line() {
  constexpr std::size_t kPieceBytes = 4096;
  for (;;) {
    if (const auto end = unread_.find('\n'); end != std::string::npos) {
      std::string line = unread_.substr(0, end);
      unread_.erase(0, end + 1);
      return line;
    }
    std::array<char, kPieceBytes> piece{};
    const auto got = ::read(fd_.get(), piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return std::nullopt;
    unread_.append(piece.data(), static_cast<std::size_t>(got));
  }
}

void Channel::write_line(std::string_view text) {
  std::string rest = std::string(text) + '\n';
  while (!rest.empty()) {
    const auto sent = ::send(fd_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return;
    rest.erase(0, static_cast<std::size_t>(sent));
  }
}

}  // namespace linerate::benchmarks
