// See svg_canvas.h.
#include "topo/show/svg_canvas.h"

#include "topo/show/plain_text.h"
#include "topo/show/svg_style.h"

#include <fmt/format.h>

#include <array>

namespace linerate::topo {
namespace {

struct StyleRow {
  std::string_view look;
  double size;      // of the font
  double boldness;  // how much wider than the plain font
};
constexpr std::array<StyleRow, 5> kStyles{
    {{"t1", 20, 1.08}, {"t2", 13, 1.08}, {"t3", 11.5, 1}, {"t4", 10.5, 1}, {"t4 bad", 10.5, 1.08}}};

const StyleRow& row_of(TextStyle style) { return kStyles.at(static_cast<std::size_t>(style)); }

// In parts of the font's size.
double letter_width(char c) {
  constexpr double kNarrow = 0.32, kWide = 0.88, kUpper = 0.7, kOther = 0.56;
  if (std::string_view(" .,:;|!'()[]/-fijltI").find(c) != std::string_view::npos) return kNarrow;
  if (std::string_view("mwMW@%").find(c) != std::string_view::npos) return kWide;
  return c >= 'A' && c <= 'Z' ? kUpper : kOther;
}

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : plain_text(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string_view anchor_word(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "";
    case Anchor::middle:
      return " text-anchor=\"middle\"";
    case Anchor::end:
      return " text-anchor=\"end\"";
  }
  return "";
}

}  // namespace

double width_of(const TextLine& line) {
  constexpr double kOtherFonts = 1.06, kBeyondAscii = 0.6;
  double width = 0;
  for (const char c : line.text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) width += letter_width(c);
    if (byte >= 0xc0) width += kBeyondAscii;  // the first byte of a character
  }
  const StyleRow& style = row_of(line.style);
  return width * style.size * style.boldness * kOtherFonts;
}

double height_of(TextStyle style) {
  constexpr double kLine = 1.3;
  return row_of(style).size * kLine;
}

TextLine fitted(const TextLine& line, double width) {
  auto columns = columns_of(line.text);
  TextLine cut = line;
  while (columns > 1 && width_of(cut) > width) cut.text = shortened(line.text, --columns);
  return cut;
}

void SvgCanvas::open(const std::vector<std::string>& tip) {
  std::vector<std::string> lines;
  lines.reserve(tip.size());
  for (const auto& line : tip) lines.push_back(escaped(line));
  body_ += fmt::format("<g><title>{}</title>\n", fmt::join(lines, "\n"));
}

void SvgCanvas::close() { body_ += "</g>\n"; }

void SvgCanvas::rect(const Box& box, std::string_view look, double radius) {
  body_ += fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
      "rx=\"{:.0f}\"/>\n",
      look, box.x, box.y, box.w, box.h, radius);
}

void SvgCanvas::stroke(std::string_view path, std::string_view look, double thickness) {
  body_ +=
      fmt::format("<path class=\"{}\" d=\"{}\" stroke-width=\"{:.1f}\"/>\n", look, path, thickness);
}

void SvgCanvas::text(const TextLine& line, const TextPlace& place, std::string_view look) {
  body_ += fmt::format("<text class=\"{}{}{}\" x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n",
                       row_of(line.style).look, look.empty() ? "" : " ", look, place.x, place.y,
                       anchor_word(place.anchor), escaped(line.text));
}

void SvgCanvas::texts(const std::vector<TextLine>& lines, const Box& box, std::string_view look) {
  constexpr double kBaseLine = 0.76;  // of a line's height
  double height = 0;
  for (const auto& line : lines) height += height_of(line.style);
  double y = box.y + (box.h - height) / 2;
  for (const auto& line : lines) {
    const double line_height = height_of(line.style);
    text(line, {box.center(), y + line_height * kBaseLine, Anchor::middle}, look);
    y += line_height;
  }
}

std::string SvgCanvas::document(double width, double height, std::string_view title) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "viewBox=\"0 0 {0:.0f} {1:.0f}\" role=\"img\">\n"
      "<title>{2}</title>\n"
      "<style>\n{3}</style>\n"
      "<rect class=\"ground\" width=\"{0:.0f}\" height=\"{1:.0f}\"/>\n"
      "{4}</svg>\n",
      width, height, escaped(title), svg_style(), body_);
}

}  // namespace linerate::topo
