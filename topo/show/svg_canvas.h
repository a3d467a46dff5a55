// Shapes and texts of a picture in SVG.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace linerate::topo {

// Pixels; y grows downwards.
struct Box {
  double x = 0, y = 0, w = 0, h = 0;

  double center() const { return x + w / 2; }
  double right() const { return x + w; }
  double bottom() const { return y + h; }
};

enum class TextStyle : std::uint8_t { title, name, plain, small, bad };

struct TextLine {
  std::string text{};
  TextStyle style = TextStyle::plain;
};

// Pixels, from the shapes of Helvetica's letters and on the wide side: viewers have other fonts.
double width_of(const TextLine& line);
double height_of(TextStyle style);  // of a line, with the space to the next one

// The line cut to what fits in `width` pixels.
TextLine fitted(const TextLine& line, double width);

enum class Anchor : std::uint8_t { start, middle, end };

struct TextPlace {
  double x = 0, y = 0;  // of the base line
  Anchor anchor = Anchor::start;
};

// Looks come from classes, which the picture's style sheet has for light and dark grounds: "cpu",
// "gpu", "link pci", ... Texts are escaped here, and here alone.
class SvgCanvas {
 public:
  // What opens here and is closed by close() shares `tip`, lines that viewers show when pointed at.
  void open(const std::vector<std::string>& tip);
  void close();
  void rect(const Box& box, std::string_view look, double radius);
  // `path` is SVG's own: "M 1 2 V 8".
  void stroke(std::string_view path, std::string_view look, double thickness);
  // `look` is added to the style's; empty: nothing.
  void text(const TextLine& line, const TextPlace& place, std::string_view look = "");
  // Lines below each other, in the middle of a box.
  void texts(const std::vector<TextLine>& lines, const Box& box, std::string_view look = "");

  // The whole document, ended by a line feed.
  std::string document(double width, double height, std::string_view title) const;

 private:
  std::string body_{};
};

}  // namespace linerate::topo
