// Strict reading of an XML element's attributes.
#pragma once

#include "topo/read/xml_file.h"

#include <cstdint>
#include <optional>

namespace linerate::topo {

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
