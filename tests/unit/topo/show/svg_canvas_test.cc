// Shapes and texts in SVG: escaped, measured, cut.
#include "topo/show/svg_canvas.h"

#include "support/topo/svg_page.h"
#include "topo/show/svg_style.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

TEST(SvgCanvas, EscapesTexts) {
  SvgCanvas canvas;
  canvas.open({"<tip> & \"more\"", "below"});
  canvas.text({"a < b && c > \"d\" \x01\xff", TextStyle::small}, {10, 20});
  canvas.close();

  const auto text = canvas.document(100, 50, "</title>");

  EXPECT_EQ(SvgPage(text).times("a < b && c > \"d\" ??"), 1U);
  EXPECT_NE(text.find("<title>&lt;/title&gt;</title>"), std::string::npos);
  EXPECT_NE(text.find("&lt;tip&gt; &amp; &quot;more&quot;\nbelow"), std::string::npos) << text;
}

TEST(SvgCanvas, HasItsSize) {
  const Box canvas = SvgPage(SvgCanvas().document(640, 480, "")).canvas();

  EXPECT_EQ(canvas.w, 640);
  EXPECT_EQ(canvas.h, 480);
}

TEST(SvgCanvas, CentersLinesInABox) {
  SvgCanvas canvas;
  canvas.texts({{"upper"}, {"lower"}}, {100, 100, 80, 60});

  const auto texts = SvgPage(canvas.document(300, 300, "")).texts();

  ASSERT_EQ(texts.size(), 2U);
  EXPECT_NEAR(texts[0].box.center(), 140, 0.1);
  EXPECT_NEAR((texts[0].box.y + texts[1].box.bottom()) / 2, 130, 0.2);
  EXPECT_FALSE(collide(texts[0].box, texts[1].box, 0.2));
}

TEST(WidthOf, GrowsWithTextAndFont) {
  EXPECT_LT(width_of({"iiii"}), width_of({"mmmm"}));
  EXPECT_LT(width_of({"GPU0", TextStyle::small}), width_of({"GPU0", TextStyle::name}));
  EXPECT_EQ(width_of({""}), 0);
  EXPECT_LT(width_of({"ππ"}), 2 * width_of({"WW"})) << "characters count, not bytes";
}

TEST(Fitted, CutsWhatDoesNotFit) {
  const TextLine line{"a rather long name"};

  EXPECT_EQ(fitted(line, 500).text, line.text);
  const auto cut = fitted(line, 50);
  EXPECT_LE(width_of(cut), 50);
  EXPECT_TRUE(cut.text.ends_with("…")) << cut.text;
}

TEST(SvgStyle, HasEachFillForDarkGrounds) {
  const auto style = svg_style();
  const auto dark = style.find("prefers-color-scheme: dark");
  ASSERT_NE(dark, std::string::npos);

  for (const std::string look : {".ground", ".numa", ".cpu", ".switch", ".gpu", ".nic", ".down",
                                 ".nvswitch", ".pci", ".nvl", ".c2c", ".sys", ".link.bad", ".t4"}) {
    EXPECT_LT(style.find(look + " {"), dark) << look;
    EXPECT_NE(style.find(look + " {", dark), std::string::npos) << look;
  }
}

}  // namespace
}  // namespace linerate::topo
