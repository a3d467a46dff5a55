// A user's XML: parsed within limits, and the lines where its elements stand.
#pragma once

#include "base/result.h"

#include <pugixml.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

// What is read of any XML file; more is refused.
struct XmlLimits {
  std::size_t bytes = std::size_t{8} << 20;
  std::size_t elements = std::size_t{1} << 16;
  std::size_t attributes = 64;  // of one element
  int depth = 32;               // of elements in each other
};

// Foreign text as a message may show it: short and printable.
std::string shown_text(std::string_view text);

// An XML document in UTF-8, all of whose elements keep the limits. Movable; its nodes live as long
// as it does.
class XmlFile {
 public:
  // `name` is the file's in messages.
  static Result<XmlFile> parse(std::string_view text, std::string_view name,
                               const XmlLimits& limits = {});

  const pugi::xml_document& document() const { return document_; }
  // Counted from 1; of a node of this document.
  std::size_t line_of(const pugi::xml_node& node) const;
  // What is wrong where text stands between elements, of formats that keep all in attributes.
  std::optional<Failure> stray_text() const;
  // "dgx.xml:12: WHY"
  Failure failure(std::size_t line, std::string_view why) const;

 private:
  XmlFile(std::string_view text, std::string_view name);

  std::size_t line_at(std::size_t offset) const;
  Result<bool> check(const XmlLimits& limits) const;

  std::string name_;
  std::vector<std::size_t> line_ends_;  // offsets of the line feeds
  pugi::xml_document document_;
};

}  // namespace linerate::topo
