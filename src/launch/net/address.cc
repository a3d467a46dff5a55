// Addresses are compared as bytes, whichever family.
#include "launch/net/address.h"

#include "base/error.h"
#include "base/handle.h"
#include "base/text.h"
#include "launch/net/socket.h"

#include <fmt/format.h>

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>

namespace linerate {
namespace {

struct Answer {
  int code = 0;  // of getaddrinfo
  AddressList list{};
  std::string sentence{};
};

Answer ask(const SocketAddress& address, int flags) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags | AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const auto port = std::to_string(address.port);
  const int code = ::getaddrinfo(address.host.c_str(), port.c_str(), &hints, &list);
  if (code == 0) return {.list = AddressList(list)};
  return {.code = code,
          .sentence = fmt::format("the host name '{}' cannot be resolved: {}", address.host,
                                  code == EAI_SYSTEM ? std::strerror(errno) : gai_strerror(code))};
}

bool may_help_to_ask_again(int code) {
  return code == EAI_AGAIN || code == EAI_SYSTEM || code == EAI_MEMORY;
}

}  // namespace

Result<AddressList> resolve(const SocketAddress& address, int flags) {
  auto answer = ask(address, flags);
  if (answer.code == 0) return std::move(answer.list);
  return Failure{std::move(answer.sentence)};
}

void await_name(const std::string& host, const Deadline& deadline) {
  constexpr int kPauseMs = 500;
  for (;;) {
    const auto answer = ask({host, 0}, 0);
    if (answer.code == 0) return;
    if (!may_help_to_ask_again(answer.code)) throw Error(answer.sentence, ExitCode::usage);
    if (deadline.passed()) throw TimeoutError(answer.sentence);
    const int left_ms = deadline.bounded() ? deadline.poll_ms() : kPauseMs;
    (void)::poll(nullptr, 0, std::min(left_ms, kPauseMs));
  }
}

namespace {

// The address itself, 4 or 16 bytes; empty for other families.
std::vector<unsigned char> address_bytes(const sockaddr* address) {
  const void* from = nullptr;
  std::size_t length = 0;
  if (address != nullptr && address->sa_family == AF_INET) {
    from = &reinterpret_cast<const sockaddr_in*>(address)->sin_addr;
    length = sizeof(in_addr);
  } else if (address != nullptr && address->sa_family == AF_INET6) {
    from = &reinterpret_cast<const sockaddr_in6*>(address)->sin6_addr;
    length = sizeof(in6_addr);
  }
  std::vector<unsigned char> bytes(length);
  if (length > 0) std::memcpy(bytes.data(), from, length);
  return bytes;
}

std::string numeric_text(const std::vector<unsigned char>& bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = bytes.size() == sizeof(in_addr) ? AF_INET : AF_INET6;
  (void)::inet_ntop(family, bytes.data(), text.data(), text.size());
  return text.data();
}

bool only_local(const std::vector<unsigned char>& bytes) {
  if (bytes.size() == sizeof(in_addr))
    return bytes[0] == 127 || (bytes[0] == 169 && bytes[1] == 254);
  return bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80;
}

bool usable(const ifaddrs& item) {
  constexpr unsigned kUp = IFF_UP | IFF_RUNNING;
  return (item.ifa_flags & kUp) == kUp && (item.ifa_flags & IFF_LOOPBACK) == 0;
}

int distance(const std::string& candidate, const std::vector<InterfaceAddress>& ours) {
  const auto numeric = numeric_address({candidate, 0});
  const auto bytes = address_bytes(reinterpret_cast<const sockaddr*>(&numeric.storage));
  if (std::ranges::any_of(ours, [&](const auto& own) { return own.host == candidate; })) return 2;
  return std::ranges::any_of(ours, [&](const auto& own) { return in_network(bytes, own); }) ? 0 : 1;
}

}  // namespace

std::optional<InterfaceAddress> network_of(std::string_view text) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  const auto length = parse_integer("prefix", text.substr(slash + 1));
  InterfaceAddress network;
  network.host = text.substr(0, slash);
  const auto numeric = numeric_address({network.host, 0});
  network.bytes = address_bytes(reinterpret_cast<const sockaddr*>(&numeric.storage));
  const auto nbits = static_cast<std::int64_t>(8 * network.bytes.size());
  if (nbits == 0 || !length || *length < 0 || *length > nbits) return std::nullopt;
  network.mask.resize(network.bytes.size());
  for (std::size_t bit = 0; bit < static_cast<std::size_t>(*length); ++bit)
    network.mask[bit / 8] = static_cast<unsigned char>(network.mask[bit / 8] | 0x80U >> bit % 8);
  return network;
}

bool in_network(const std::vector<unsigned char>& address, const InterfaceAddress& ours) {
  if (address.size() != ours.bytes.size() || address.size() != ours.mask.size()) return false;
  for (std::size_t i = 0; i < address.size(); ++i)
    if (((address[i] ^ ours.bytes[i]) & ours.mask[i]) != 0) return false;
  return true;
}

std::optional<SocketAddress> socket_address_of(std::string_view text, std::uint16_t default_port) {
  SocketAddress address{.host = {}, .port = default_port};
  std::string_view host = text;
  const auto colon = text.rfind(':');
  const bool bracketed = text.starts_with('[');
  const bool one_colon = colon != std::string_view::npos && colon == text.find(':');
  if (one_colon || (bracketed && colon != std::string_view::npos && text[colon - 1] == ']')) {
    const auto port = parse_integer("", text.substr(colon + 1));
    if (!port || *port < 1 || *port > 65535) return std::nullopt;
    address.port = static_cast<std::uint16_t>(*port);
    host = text.substr(0, colon);
  }
  if (bracketed && !host.ends_with(']')) return std::nullopt;
  if (bracketed) host = host.substr(1, host.size() - 2);
  if (host.empty()) return std::nullopt;
  address.host = host;
  return address;
}

NumericAddress numeric_address(const SocketAddress& text) {
  NumericAddress result;
  auto* v4 = reinterpret_cast<sockaddr_in*>(&result.storage);
  auto* v6 = reinterpret_cast<sockaddr_in6*>(&result.storage);
  if (::inet_pton(AF_INET, text.host.c_str(), &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(text.port);
    result.length = sizeof *v4;
  } else if (::inet_pton(AF_INET6, text.host.c_str(), &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(text.port);
    result.length = sizeof *v6;
  }
  return result;
}

FileDescriptor connect_tcp(const SocketAddress& to, const Deadline& deadline) {
  const auto address = numeric_address(to);
  FileDescriptor fd(
      ::socket(address.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (!fd) return {};
  const auto* generic = reinterpret_cast<const sockaddr*>(&address.storage);
  errno = try_connect(fd.get(), generic, address.length, deadline);
  if (errno != 0) return {};
  tune(fd.get());
  return fd;
}

std::vector<InterfaceAddress> interface_addresses() {
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return {};
  const Handle<ifaddrs, freeifaddrs> owner(list);
  std::vector<InterfaceAddress> found;
  for (const auto* item = list; item != nullptr; item = item->ifa_next) {
    auto bytes = address_bytes(item->ifa_addr);
    if (bytes.empty() || !usable(*item) || only_local(bytes)) continue;
    auto host = numeric_text(bytes);
    found.push_back(
        {std::move(host), std::move(bytes), address_bytes(item->ifa_netmask), item->ifa_name});
  }
  std::ranges::stable_sort(found, {}, [](const auto& address) { return address.bytes.size(); });
  return found;
}

std::vector<std::string> nearest_first(std::vector<std::string> candidates,
                                       const std::vector<InterfaceAddress>& ours) {
  std::ranges::stable_sort(candidates, {},
                           [&](const auto& candidate) { return distance(candidate, ours); });
  return candidates;
}

}  // namespace linerate
