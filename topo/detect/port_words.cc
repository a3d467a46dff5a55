// See port_words.h.
#include "topo/detect/port_words.h"

#include <charconv>
#include <string>

namespace linerate::topo {

double rate_mbps(std::string_view rate) {
  constexpr double kMegaPerGiga = 1000;
  double gbps = 0;
  const char* const end = rate.data() + rate.size();
  const auto [rest, error] = std::from_chars(rate.data(), rate.data() + rate.size(), gbps);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  return error == std::errc{} && unit.starts_with(" Gb/sec") && gbps > 0 ? gbps * kMegaPerGiga : 0;
}

std::uint64_t guid_of(std::string_view text) {
  std::string digits(text);
  std::erase(digits, ':');
  std::uint64_t guid = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(digits.data(), end, guid, 16);
  return error == std::errc{} && rest == end ? guid : 0;
}

}  // namespace linerate::topo
