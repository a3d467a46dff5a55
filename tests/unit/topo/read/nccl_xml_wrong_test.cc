// What is said of topology files that are wrong.
#include "topo/read/nccl_xml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

// The sentence about a file whose third line is `line`, in a processor.
std::string about(std::string_view line) {
  const auto system = read_nccl_xml(
      "<system version=\"1\">\n<cpu numaid=\"0\">\n" + std::string(line) + "\n</cpu>\n</system>\n",
      "a.xml");
  return system ? "nothing" : system.sentence();
}

std::string about_file(std::string_view text) {
  const auto system = read_nccl_xml(text, "a.xml");
  return system ? "nothing" : system.sentence();
}

std::string nested(int depth) {
  std::string text;
  for (int i = 0; i < depth; ++i)
    text += "<pci busid=\"0000:" + std::string(i < 10 ? "0" : "") + std::to_string(i) + ":00.0\">";
  for (int i = 0; i < depth; ++i) text += "</pci>";
  return text;
}

struct Wrong {
  const char* line;
  const char* what;
};

class WrongValues : public testing::TestWithParam<Wrong> {};

TEST_P(WrongValues, AreNamedWithTheirLineAndWhatIsValid) {
  EXPECT_THAT(about(GetParam().line), AllOf(StartsWith("a.xml:3: "), HasSubstr(GetParam().what)));
}

INSTANTIATE_TEST_SUITE_P(
    NcclXml, WrongValues,
    testing::Values(
        Wrong{R"(<pci busid="0000:01:00.0" link_width="x16"/>)",
              "link_width of <pci> is 'x16': a whole number from 0 to 1024 is needed."},
        Wrong{R"(<pci busid="0000:01:00.0" link_width="-1"/>)", "link_width"},
        Wrong{R"(<pci/>)", "<pci> has no busid: give it, such as busid=\"0000:18:00.0\"."},
        Wrong{R"(<pci busid="GPU0"/>)", "busid of <pci> is 'GPU0': a bus id"},
        Wrong{R"(<pci busid="0000:01:00.0" class="GPU"/>)", "class of <pci> is 'GPU'"},
        Wrong{R"(<pci busid="0000:01:00.0" class="0x03020000"/>)", "up to six digits"},
        Wrong{R"(<pci busid="0000:01:00.0" vendor="0x123456789"/>)", "up to 32 bits"},
        Wrong{R"(<pci busid="0000:01:00.0" vendor="0x10deX"/>)", "vendor of <pci> is '0x10deX'"},
        Wrong{R"(<pci busid="0000:01:00.0"><gpu sm="9.0"/></pci>)", "sm of <gpu> is '9.0'"},
        Wrong{R"(<pci busid="0000:01:00.0"><gpu gdr="yes"/></pci>)", "gdr of <gpu> is 'yes'"},
        Wrong{R"(<pci busid="0000:01:00.0"><gpu><nvlink target="a"/></gpu></pci>)",
              "<nvlink> has no count"},
        Wrong{R"(<pci busid="0000:01:00.0"><gpu><nvlink count="4"/></gpu></pci>)",
              "<nvlink> has no target"},
        Wrong{R"(<pci busid="0000:01:00.0"><gpu><c2c bw="fast" count="5"/></gpu></pci>)",
              "bw of <c2c> is 'fast'"},
        Wrong{R"(<pci busid="0000:01:00.0"><pcilink/></pci>)", "<pcilink> has no target"},
        Wrong{R"(<nic><net dev="0"/></nic>)", "<net> has no name"},
        Wrong{R"(<nic><net name="a" dev="mlx5"/></nic>)", "dev of <net> is 'mlx5'"},
        Wrong{R"(<nic><net name="a" speed="400G"/></nic>)", "speed of <net> is '400G'"},
        Wrong{R"(<nic><net name="a" guid="0x11112222333344445"/></nic>)", "up to 64 bits"},
        Wrong{R"(<nic><net name="a&#27;[2J"/></nic>)", "without control characters"},
        Wrong{R"(</cpu><cpu numaid="0" affinity="0-23">)", "affinity of <cpu> is '0-23'"},
        Wrong{R"(</cpu><cpu numaid="0" arch="riscv">)", "x86_64, arm64 or ppc64"},
        Wrong{R"(</cpu><cpu>)", "<cpu> has no numaid"},
        Wrong{"words", "The text 'words' stands between elements"}));

TEST(WrongXml, IsToldWithItsLine) {
  EXPECT_THAT(about("<pci busid=0000/>"), StartsWith("a.xml:3: An attribute is broken"));
  EXPECT_THAT(about("<pci></nic>"), StartsWith("a.xml:3: An end tag closes another element"));
  EXPECT_THAT(about("< pci>"), StartsWith("a.xml:3: "));
  EXPECT_THAT(about_file("<system version=\"1\">\n<cpu numaid=\"0\"/>\n"),
              "a.xml:2: The file ends within an element: it was cut.");
  EXPECT_THAT(about_file("<system version=\"1\">\n<cpu numaid=\"0\"/>\n</sys"),
              "a.xml:3: The file ends within an element: it was cut.");
  EXPECT_THAT(about_file("<system>\n<!-- and"), StartsWith("a.xml:2: "));
  EXPECT_THAT(about_file(std::string("<system>\n\0</system>", 19)),
              StartsWith("a.xml:2: There is a zero byte"));
}

TEST(WrongXml, OfOtherKindsIsNamed) {
  EXPECT_THAT(about_file(""), HasSubstr("There is no element"));
  EXPECT_THAT(about_file("{\"gpus\": 8}"), HasSubstr("There is no element"));
  EXPECT_THAT(about_file("<?xml version=\"1.0\"?>\n<topology version=\"2.0\">0 1</topology>"),
              AllOf(StartsWith("a.xml:2: "), HasSubstr("hwloc")));
  EXPECT_THAT(about_file("<graphs version=\"1\"/>"), HasSubstr("NCCL_GRAPH_FILE"));
  EXPECT_THAT(about_file("<system version=\"1\"/>"), HasSubstr("<system> has no <cpu>"));
  EXPECT_THAT(about_file("<system version=\"1\"><cpu numaid=\"0\"/></system>\n<system/>"),
              StartsWith("a.xml:2: There is a second <system>"));
}

TEST(WrongXml, OfAnotherVersionIsRefused) {
  for (const auto* version : {"2", "0", "1.0", "new"})
    EXPECT_THAT(
        about_file(std::string("<system version=\"") + version + "\"><cpu numaid=\"0\"/></system>"),
        AllOf(StartsWith("a.xml:1: version of <system> is '"), HasSubstr(version)));
  EXPECT_THAT(about_file("<system><cpu numaid=\"0\"/></system>"), HasSubstr("has no version"));
}

TEST(WrongXml, ThatNestsTooDeepIsRefused) {
  EXPECT_EQ(about(nested(29)), "nothing");  // in <system> and <cpu>
  EXPECT_THAT(about(nested(31)), AllOf(StartsWith("a.xml:3: "), HasSubstr("deeper than 32")));
}

TEST(WrongXml, ThatNestsTensOfThousandsDeepIsRefusedAsWell) {
  std::string deep;
  for (int i = 0; i < 60000; ++i) deep += "<pci>";
  for (int i = 0; i < 60000; ++i) deep += "</pci>";

  EXPECT_THAT(about(deep), HasSubstr("deeper than 32"));
}

TEST(WrongXml, OfTooManyPartsIsRefused) {
  std::string elements, attributes = "<pci";
  for (int i = 0; i < 70000; ++i) elements += "<a/>";
  for (int i = 0; i < 65; ++i) attributes += " a" + std::to_string(i) + "=\"\"";

  EXPECT_THAT(about(elements), HasSubstr("more than 65536 elements"));
  EXPECT_THAT(about(attributes + "/>"), HasSubstr("more than 64 attributes"));
  EXPECT_THAT(about(std::string(std::size_t{9} << 20, ' ')), HasSubstr("at most 8 MiB are read"));
}

TEST(WrongXml, WithManyUnknownNamesTellsTwentyOfThem) {
  std::string text = "<system version=\"1\"><cpu numaid=\"0\">";
  for (int i = 0; i < 1000; ++i) text += "<a" + std::to_string(i) + "/>";
  const auto system = read_nccl_xml(text + "</cpu></system>", "a.xml");

  ASSERT_TRUE(system);
  EXPECT_EQ(system->unseen.size(), 20u);
}

TEST(NcclXmlFiles, ThatAreNoneAreRefusedByName) {
  EXPECT_THAT(load_nccl_xml("/nowhere/a.xml").sentence(), StartsWith("/nowhere/a.xml: "));
  EXPECT_THAT(load_nccl_xml("/dev/zero").sentence(), HasSubstr("not a file"));
  EXPECT_THAT(load_nccl_xml("/tmp").sentence(), HasSubstr("directory"));
}

}  // namespace
}  // namespace linerate::topo
