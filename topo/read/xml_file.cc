#include "topo/read/xml_file.h"

#include "base/text.h"
#include "base/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

namespace linerate::topo {
namespace {

constexpr std::size_t kLongestShownText = 40;

// How many elements there can be at most: pugixml's memory goes with them.
std::size_t count_openings(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = text.find('<'); at != std::string_view::npos; at = text.find('<', at + 1))
    if (at + 1 < text.size() && text[at + 1] != '/') ++count;
  return count;
}

std::string_view explained(pugi::xml_parse_status status) {
  switch (status) {
    case pugi::status_bad_comment:
      return "A comment is not closed: --> is needed.";
    case pugi::status_bad_start_element:
      return "A start tag is broken: <name key=\"value\"> is needed.";
    case pugi::status_bad_attribute:
      return "An attribute is broken: key=\"value\" is needed.";
    case pugi::status_bad_end_element:
      return "An end tag is broken: </name> is needed.";
    case pugi::status_end_element_mismatch:
      return "An end tag closes another element than the one opened last.";
    case pugi::status_no_document_element:
      return "There is no element: this is no XML, or it is empty.";
    case pugi::status_bad_pi:
    case pugi::status_bad_cdata:
    case pugi::status_bad_doctype:
      return "A declaration is not closed.";
    default:
      return "This is not XML.";
  }
}

// Where an element is closed whose end the text does not have, nothing but its end is wrong.
bool is_cut(std::string_view text, std::size_t offset) {
  return offset + 1 >= trim(text).size() || !trim(text).ends_with('>');
}

// Line feeds before the first word.
std::size_t blank_lines(std::string_view text) {
  const auto blank = text.substr(0, text.find_first_not_of(" \t\r\n"));
  return static_cast<std::size_t>(std::ranges::count(blank, '\n'));
}

// The next one in the document's order, and how much deeper it stands; null after the last.
pugi::xml_node next_in_order(pugi::xml_node node, int& depth) {
  if (node.first_child()) return ++depth, node.first_child();
  while (node && !node.next_sibling()) {
    node = node.parent();
    --depth;
  }
  return node ? node.next_sibling() : node;
}

}  // namespace

std::string shown_text(std::string_view text) {
  std::string shown(text.substr(0, kLongestShownText));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > kLongestShownText ? shown + "…" : shown;
}

XmlFile::XmlFile(std::string_view text, std::string_view name) : name_(name) {
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') line_ends_.push_back(i);
}

Result<XmlFile> XmlFile::parse(std::string_view text, std::string_view name,
                               const XmlLimits& limits) {
  XmlFile file(text, name);
  if (text.size() > limits.bytes)
    return Failure{fmt::format("{}: it has {}; at most {} are read.", name,
                               about_bytes_text(text.size()), bytes_text(limits.bytes))};
  if (const auto zero = text.find('\0'); zero != std::string_view::npos)
    return file.failure(file.line_at(zero), "There is a zero byte: this is no text in UTF-8.");
  if (count_openings(text) > limits.elements)
    return Failure{
        fmt::format("{}: it has more than {} elements; no more are read.", name, limits.elements)};
  const auto result = file.document_.load_buffer(text.data(), text.size(), pugi::parse_default,
                                                 pugi::encoding_utf8);
  const auto offset = static_cast<std::size_t>(std::max<std::ptrdiff_t>(result.offset, 0));
  if (!result && result.status != pugi::status_no_document_element && is_cut(text, offset))
    return file.failure(file.line_at(trim(text).size()),
                        "The file ends within an element: it was cut.");
  if (!result)
    return file.failure(
        result.status == pugi::status_no_document_element ? 1 : file.line_at(offset),
        explained(result.status));
  if (const auto kept = file.check(limits); !kept) return kept.failure();
  return file;
}

std::size_t XmlFile::line_at(std::size_t offset) const {
  const auto end = std::ranges::lower_bound(line_ends_, offset);
  return static_cast<std::size_t>(std::distance(line_ends_.begin(), end)) + 1;
}

std::size_t XmlFile::line_of(const pugi::xml_node& node) const {
  return line_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(node.offset_debug(), 0)));
}

Failure XmlFile::failure(std::size_t line, std::string_view why) const {
  return Failure{fmt::format("{}:{}: {}", name_, line, why)};
}

Result<bool> XmlFile::check(const XmlLimits& limits) const {
  int depth = 1;
  for (pugi::xml_node node = document_.first_child(); node; node = next_in_order(node, depth)) {
    if (depth > limits.depth)
      return failure(line_of(node), fmt::format("Elements nest deeper than {}: no deeper ones are "
                                                "read.",
                                                limits.depth));
    const auto attributes = node.attributes();
    if (static_cast<std::size_t>(std::distance(attributes.begin(), attributes.end())) >
        limits.attributes)
      return failure(line_of(node), fmt::format("<{}> has more than {} attributes: no more are "
                                                "read.",
                                                shown_text(node.name()), limits.attributes));
  }
  return true;
}

std::optional<Failure> XmlFile::stray_text() const {
  int depth = 1;
  for (pugi::xml_node node = document_.first_child(); node; node = next_in_order(node, depth))
    if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata)
      return failure(line_of(node) + blank_lines(node.value()),
                     fmt::format("The text '{}' stands between elements: only elements and "
                                 "comments may stand there.",
                                 shown_text(trim(node.value()))));
  return std::nullopt;
}

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
  if (const auto value = parse_hex(digits))
    into = *value;
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
