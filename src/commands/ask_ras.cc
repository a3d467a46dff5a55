// The protocol of NCCL's tool ncclras: a line with its version each way, then a command.
#include "commands/ask_ras.h"

#include "base/clock.h"
#include "base/error.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string_view>
#include <thread>
#include <vector>

namespace linerate {
namespace {

constexpr double kConnect_s = 3, kAnswer_s = 60;
constexpr std::size_t kMostOfAnswer = 64U << 20U;

void send_line(Socket& socket, std::string_view line, const Deadline& deadline) {
  socket.send_all(std::as_bytes(std::span(line)), deadline);
}

// What comes until `ends` says so, or the service closes the connection.
template <typename Ends>
std::string text_until(Socket& socket, const Deadline& deadline, const Ends& ends) {
  std::vector<std::byte> piece(65536);
  std::string text;
  while (!ends(text) && text.size() < kMostOfAnswer) {
    std::size_t got = 0;
    try {
      got = socket.recv_part(piece, deadline);
    } catch (const PeerFailure&) {
      return text;
    }
    text.append(reinterpret_cast<const char*>(piece.data()), got);
  }
  return text;
}

std::string answer_of(const SocketAddress& address, const Clock& clock) {
  const auto soon = Deadline::after(clock, kConnect_s);
  auto socket = connect_to(address, soon);
  send_line(socket, "CLIENT PROTOCOL 2\n", soon);
  const auto greeting = text_until(socket, soon, [](const std::string& text) {
    return text.ends_with('\n') || text.size() > 100;
  });
  if (!greeting.starts_with("SERVER PROTOCOL "))
    throw Error(fmt::format("{} is no RAS service of NCCL.", text_of(address)));
  const auto deadline = Deadline::after(clock, kAnswer_s);
  send_line(socket, "VERBOSE STATUS\n", deadline);
  auto answer = text_until(socket, deadline, [](const std::string&) { return false; });
  if (answer.find("\nWarnings\n") == std::string::npos)
    throw Error(fmt::format("The RAS service of {} broke off its answer.", text_of(address)));
  return answer;
}

}  // namespace

Result<hang::RasAnswers> ask_ras(const SocketAddress& address) {
  const SteadyClock clock;
  hang::RasAnswers answers{.address = text_of(address)};
  try {
    answers.before = answer_of(address, clock);
    const auto asked_ns = clock.now_ns();
    std::this_thread::sleep_for(std::chrono::seconds(1));
    answers.after = answer_of(address, clock);
    answers.seconds = static_cast<double>(clock.now_ns() - asked_ns) * 1e-9;
  } catch (const Error& error) {
    return Failure{error.what()};
  }
  return answers;
}

}  // namespace linerate
