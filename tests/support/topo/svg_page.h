// A picture read again: where its shapes and texts are.
#pragma once

#include "topo/show/svg_canvas.h"

#include <gtest/gtest.h>
#include <pugixml.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

struct SvgText {
  std::string text, look;
  Box box;  // as wide as the picture's own measure says
};

struct SvgShape {
  std::string look;
  Box box;
};

// Fails the test where the text is no XML.
class SvgPage {
 public:
  explicit SvgPage(const std::string& text) {
    const auto parsed = document_.load_buffer(text.data(), text.size(), pugi::parse_default);
    EXPECT_TRUE(parsed) << parsed.description() << " at " << parsed.offset << "\n" << text;
  }

  Box canvas() const {
    const auto svg = document_.child("svg");
    return {0, 0, svg.attribute("width").as_double(), svg.attribute("height").as_double()};
  }

  std::vector<SvgText> texts() const {
    std::vector<SvgText> found;
    for (const auto& node : document_.select_nodes("//text")) found.push_back(text_of(node.node()));
    return found;
  }

  // Of the classes that are named, but for those of the ground.
  std::vector<SvgShape> shapes(const std::vector<std::string_view>& looks) const {
    std::vector<SvgShape> found;
    for (const auto& node : document_.select_nodes("//rect")) {
      const std::string look = node.node().attribute("class").value();
      for (const auto wanted : looks)
        if (look == wanted) found.push_back({look, box_of(node.node())});
    }
    return found;
  }

  // Links of a class: "link pci bad".
  std::vector<std::string> links(std::string_view look) const {
    std::vector<std::string> found;
    for (const auto& node : document_.select_nodes("//path"))
      if (node.node().attribute("class").value() == look)
        found.emplace_back(node.node().attribute("d").value());
    return found;
  }

  std::size_t times(std::string_view text) const {
    std::size_t count = 0;
    for (const auto& found : texts()) count += found.text == text ? 1 : 0;
    return count;
  }

 private:
  static Box box_of(pugi::xml_node node) {
    return {node.attribute("x").as_double(), node.attribute("y").as_double(),
            node.attribute("width").as_double(), node.attribute("height").as_double()};
  }

  static SvgText text_of(pugi::xml_node node) {
    const std::string text = node.text().get(), look = node.attribute("class").value();
    const auto style = look.starts_with("t1")                  ? TextStyle::title
                       : look.starts_with("t2")                ? TextStyle::name
                       : look.starts_with("t3")                ? TextStyle::plain
                       : look.find("bad") != std::string::npos ? TextStyle::bad
                                                               : TextStyle::small;
    const double width = width_of({text, style}), height = height_of(style);
    const std::string_view anchor = node.attribute("text-anchor").value();
    const double shift = anchor == "middle" ? width / 2 : anchor == "end" ? width : 0;
    const double x = node.attribute("x").as_double() - shift;
    return {text, look, {x, node.attribute("y").as_double() - height * 0.76, width, height}};
  }

  pugi::xml_document document_;
};

// Whether two boxes share more than `tolerance` pixels both ways.
inline bool collide(const Box& a, const Box& b, double tolerance) {
  return a.x + tolerance < b.right() && b.x + tolerance < a.right() &&
         a.y + tolerance < b.bottom() && b.y + tolerance < a.bottom();
}

inline bool is_within(const Box& inner, const Box& outer) {
  return inner.x >= outer.x && inner.y >= outer.y && inner.right() <= outer.right() &&
         inner.bottom() <= outer.bottom();
}

}  // namespace linerate::topo
