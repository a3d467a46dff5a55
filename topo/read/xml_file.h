// A user's XML: parsed within limits, with the line of every element and strict attributes.
#pragma once

#include "base/result.h"

#include <pugixml.hpp>

#include <cstddef>
#include <cstdint>
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

// What is wrong with a file: the first complaint stays. Used by one thread.
class XmlComplaints {
 public:
  explicit XmlComplaints(const XmlFile& file) : file_(file) {}

  void add(const pugi::xml_node& node, std::string_view why);
  const std::optional<Failure>& first() const { return first_; }
  const XmlFile& file() const { return file_; }

 private:
  const XmlFile& file_;
  std::optional<Failure> first_;
};

struct XmlBounds {
  double least = 0;
  double most = 0;
};

// The attributes of one element. A getter leaves `into` alone where the attribute is absent or
// empty (NCCL writes what it could not find out so), and complains where it is wrong.
class XmlAttributes {
 public:
  XmlAttributes(pugi::xml_node node, XmlComplaints& complaints)
      : node_(node), complaints_(complaints) {}

  bool has(const char* name) const { return !text(name).empty(); }
  // Of the first attribute of that name; empty: none.
  std::string_view text(const char* name) const { return node_.attribute(name).value(); }
  // Complains where it is absent or empty; `example` is what could stand there.
  void require(const char* name, std::string_view example) const;

  void whole(const char* name, const XmlBounds& bounds, int& into) const;
  void number(const char* name, const XmlBounds& bounds, double& into) const;
  // 0 or 1; other whole numbers count as 1.
  void flag(const char* name, bool& into) const;
  // Hexadecimal digits, with or without 0x in front.
  void hex(const char* name, std::uint64_t& into) const;
  void hex(const char* name, std::uint32_t& into) const;
  // Complains of control characters: what is read is shown on terminals.
  void copy(const char* name, std::string& into) const;

  // "count of <nvlink> is 'x': WHAT is needed."
  void complain(const char* name, std::string_view what) const;

 private:
  pugi::xml_node node_;
  XmlComplaints& complaints_;
};

}  // namespace linerate::topo
