// See xml_attributes.h.
#include "topo/read/xml_attributes.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

namespace linerate::topo {

void XmlComplaints::add(const pugi::xml_node& node, std::string_view why) {
  if (!first_) first_ = file_.failure(file_.line_of(node), why);
}

void XmlAttributes::complain(const char* name, std::string_view what) const {
  complaints_.add(node_, fmt::format("{} of <{}> is '{}': {} is needed.", name, node_.name(),
                                     shown_text(text(name)), what));
}

void XmlAttributes::require(const char* name, std::string_view example) const {
  if (!has(name))
    complaints_.add(node_, fmt::format("<{}> has no {}: give it, such as {}=\"{}\".", node_.name(),
                                       name, name, example));
}

void XmlAttributes::whole(const char* name, const XmlBounds& bounds, int& into) const {
  if (!has(name)) return;
  const auto given = parse_integer("value", trim(text(name)));
  if (given && static_cast<double>(*given) >= bounds.least &&
      static_cast<double>(*given) <= bounds.most)
    into = static_cast<int>(*given);
  else
    complain(name, fmt::format("a whole number from {} to {}", bounds.least, bounds.most));
}

void XmlAttributes::number(const char* name, const XmlBounds& bounds, double& into) const {
  if (!has(name)) return;
  const auto given = parse_number("value", trim(text(name)));
  if (given && *given >= bounds.least && *given <= bounds.most)
    into = *given;
  else
    complain(name, fmt::format("a number from {} to {}", bounds.least, bounds.most));
}

void XmlAttributes::flag(const char* name, bool& into) const {
  constexpr double kMaxFlag = std::numeric_limits<int>::max();
  int given = into ? 1 : 0;
  whole(name, {0, kMaxFlag}, given);
  into = given != 0;
}

void XmlAttributes::hex(const char* name, std::uint64_t& into) const {
  if (!has(name)) return;
  auto digits = trim(text(name));
  if (digits.starts_with("0x") || digits.starts_with("0X")) digits.remove_prefix(2);
  const char* const end = digits.data() + digits.size();
  std::uint64_t value = 0;
  const auto [rest, code] = std::from_chars(digits.data(), end, value, 16);
  if (code == std::errc{} && rest == end)
    into = value;
  else
    complain(name, "a hexadecimal number of up to 64 bits, such as 0x10de,");
}

void XmlAttributes::hex(const char* name, std::uint32_t& into) const {
  std::uint64_t wide = into;
  hex(name, wide);
  if (wide <= std::numeric_limits<std::uint32_t>::max())
    into = static_cast<std::uint32_t>(wide);
  else
    complain(name, "a hexadecimal number of up to 32 bits, such as 0x10de,");
}

void XmlAttributes::copy(const char* name, std::string& into) const {
  constexpr char kDelete = 0x7f;
  into = text(name);
  const auto is_control = [](char c) { return (c >= 0 && c < ' ') || c == kDelete; };
  if (std::ranges::any_of(into, is_control)) complain(name, "text without control characters");
}

}  // namespace linerate::topo
