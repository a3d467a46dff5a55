// Which bytes are told from text, and what is said of them.
#include "commands/text_check.h"

#include <gtest/gtest.h>

#include <string>

namespace linerate {
namespace {

TEST(TextCheck, NamesWhatMakesTextOfAFile) {
  EXPECT_EQ(why_no_text("\x1f\x8b\x08", "linerate doctor log -"),
            "it is compressed by gzip; read it with 'zcat FILE | linerate doctor log -'.");
  EXPECT_EQ(why_no_text("BZh91AY&SY", "x -"),
            "it is compressed by bzip2; read it with 'bzcat FILE | x -'.");
  EXPECT_EQ(why_no_text("\xff\xfeN", "x -"),
            "it is text in UTF-16; read it with 'iconv -f UTF-16 FILE | x -'.");
  EXPECT_EQ(why_no_text("\x7f"
                        "ELF\x02",
                        "x -"),
            "it is a program, a library or a core dump (ELF), and no text.");
}

TEST(TextCheck, TakesWhatBeginsLikeTextForText) {
  for (const std::string_view text : {"", "P", "BZh", "BZhou: step 1", "\xef\xbb\xbfloss 3.2"})
    EXPECT_EQ(why_no_text(text, "x -"), "") << text;
}

TEST(TextCheck, TellsBytesFromTextWithColoursAndBars) {
  std::string bytes = "weights of a model\n";
  for (int i = 0; i < 4096; ++i) bytes += static_cast<char>(i * 37);

  EXPECT_TRUE(has_many_controls(bytes));
  EXPECT_FALSE(has_many_controls("\x1b[31mstep 1\x1b[0m\r\x1b[Kstep 2\b\b\t\n"));
  EXPECT_FALSE(has_many_controls(std::string(4096, '\0') + "step 1\n"));
  EXPECT_FALSE(has_many_controls(""));
}

}  // namespace
}  // namespace linerate
