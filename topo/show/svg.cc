// See svg.h.
#include "topo/show/svg.h"

#include "topo/show/alike.h"
#include "topo/show/fabric_words.h"
#include "topo/show/link_look.h"
#include "topo/show/plain_text.h"
#include "topo/show/svg_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace linerate::topo {
namespace {

constexpr double kMargin = 24;
constexpr double kMinWidth = 680;
constexpr double kHeadHeight = 70;     // title and what is below it
constexpr double kCaptionHeight = 26;  // above a host, where there are several
constexpr double kBelowHost = 28;
constexpr double kRowHeight = 20;  // of the legend and the notes
constexpr double kSample = 30;     // length of a line of the legend
constexpr double kSampleGbps = 48;

class Picture {
 public:
  explicit Picture(const Graph& graph) : graph_(graph) {}

  std::string document();

 private:
  void draw_hosts();
  void draw_head(const std::string& title);
  void draw_legend();
  void draw_entry(const std::string& look, double thickness, const std::string& words);
  void draw_notes();

  const Graph& graph_;
  Sketch sketch_{};
  double width_ = kMinWidth;
  double x_ = kMargin, y_ = kHeadHeight;
};

void Picture::draw_hosts() {
  for (const auto& group : alike_hosts(graph_)) {
    if (host_count(graph_) > 1) {
      const auto one = group.size() > 1 ? ", one of them drawn" : "";
      sketch_.canvas.text({group_words(group) + one, TextStyle::name},
                          {kMargin, y_ + kCaptionHeight / 2});
      y_ += kCaptionHeight;
    }
    const Box box = draw_host(sketch_, graph_, group.front(), {kMargin, y_});
    width_ = std::max(width_, box.right() + kMargin);
    for (const auto& label : sketch_.taken) width_ = std::max(width_, label.right() + kMargin);
    y_ = box.bottom() + kBelowHost;
  }
}

void Picture::draw_head(const std::string& title) {
  const auto source = title == graph_.system().source ? "" : graph_.system().source;
  const auto about =
      fmt::format("{}{}{}", plain_text(source), source.empty() ? "" : " · ", summary_words(graph_));
  sketch_.canvas.text(fitted({title, TextStyle::title}, width_ - 2 * kMargin), {kMargin, 32});
  sketch_.canvas.text(fitted({about}, width_ - 2 * kMargin), {kMargin, 52});
}

void Picture::draw_entry(const std::string& look, double thickness, const std::string& words) {
  const TextLine line{words};
  const double width = (look.empty() ? 0 : kSample + 8) + width_of(line) + kMargin;
  if (x_ > kMargin && x_ + width > width_) {
    x_ = kMargin;
    y_ += kRowHeight;
  }
  double x = x_;
  if (!look.empty()) {
    sketch_.canvas.stroke(fmt::format("M {:.1f} {:.1f} H {:.1f}", x, y_ - 4, x + kSample), look,
                          thickness);
    x += kSample + 8;
  }
  sketch_.canvas.text(line, {x, y_});
  x_ += width;
}

void Picture::draw_legend() {
  for (const auto kind : {LinkKind::pci, LinkKind::nvl, LinkKind::c2c, LinkKind::sys})
    if (sketch_.kinds.contains(kind))
      draw_entry(look_of_link(kind, false), stroke_of(kSampleGbps), std::string(words_of(kind)));
  if (sketch_.degraded)
    draw_entry(look_of_link(LinkKind::pci, true), stroke_of(kSampleGbps),
               "degraded: below what both ends can do");
  draw_entry("", 0,
             fmt::format("GB/s of one direction, as NCCL {} counts them; thicker is faster",
                         text_of(graph_.version())));
  x_ = kMargin;
  y_ += kRowHeight;
}

void Picture::draw_notes() {
  constexpr double kLetter = 6.4;  // of a note, on the wide side
  const auto columns = static_cast<std::size_t>((width_ - 2 * kMargin) / kLetter);
  for (const auto& sentence : graph_.system().unseen)
    for (const auto& line : lines_of("Not seen: " + plain_text(sentence), columns)) {
      sketch_.canvas.text({line, TextStyle::small}, {kMargin, y_});
      y_ += kRowHeight;
    }
}

std::string Picture::document() {
  const System& system = graph_.system();
  const auto title = plain_text(!system.name.empty() ? system.name : system.source);
  draw_hosts();
  draw_legend();
  draw_notes();
  draw_head(title);
  return sketch_.canvas.document(width_, y_, title);
}

}  // namespace

std::string svg_text(const Graph& graph) { return Picture(graph).document(); }

}  // namespace linerate::topo
