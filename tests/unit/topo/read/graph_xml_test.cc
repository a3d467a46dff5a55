// NCCL's files of channels: what is read of them, and what is refused.
#include "topo/read/graph_xml.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace linerate::topo {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view kRing =
    R"(<graph id="0" pattern="4" crossnic="2" nchannels="1" speedintra="24.000000"
       speedinter="12.5" latencyinter="75" typeintra="NVL" typeinter="PXN" samechannels="1">
  <channel>
    <net dev="0x100000000000002"/><gpu dev="3" rank="11"/><gpu dev="0x100000000000001" rank="9"/>
    <net dev="7"/>
  </channel>
</graph>)";

std::string file_of(std::string_view graphs) {
  return fmt::format("<graphs version=\"1\">\n{}\n</graphs>\n", graphs);
}

TEST(GraphXml, HasSpeedsAndTypesOfEachGraph) {
  const auto dump = read_graph_xml(file_of(kRing), "a.xml");

  ASSERT_TRUE(dump);
  ASSERT_EQ(dump->graphs.size(), 1U);
  const auto& ring = dump->graphs.front();
  EXPECT_EQ(graph_name(ring.id), "ring");
  EXPECT_EQ(ring.cross_nic, 2);
  EXPECT_EQ(ring.intra_gbps, 24);
  EXPECT_EQ(ring.inter_gbps, 12.5);
  EXPECT_EQ(ring.latency_us, 75);
  EXPECT_EQ(ring.intra_type, PathType::nvl);
  EXPECT_EQ(ring.inter_type, PathType::pxn);
  EXPECT_TRUE(ring.same_channels);
  EXPECT_TRUE(dump->multi_node());
  EXPECT_EQ(dump->source, "a.xml");
}

TEST(GraphXml, TellsHostsByTheHighestByte) {
  const auto dump = read_graph_xml(file_of(kRing), "a.xml");

  ASSERT_TRUE(dump);
  const auto& channel = dump->graphs.front().channels.at(0);
  EXPECT_EQ(channel.gpus, (std::vector<DumpedDevice>{{3, 0}, {1, 1}}));
  EXPECT_EQ(channel.nets, (std::vector<DumpedDevice>{{2, 1}, {7, 0}}));
  EXPECT_EQ(channel.ranks, (std::vector{11, 9}));
}

TEST(GraphXml, OfOneNodeHasNoNics) {
  const auto dump = read_graph_xml(
      file_of(
          R"(<graph id="3" pattern="5" nchannels="1"><channel><gpu dev="0"/></channel></graph>)"),
      "a.xml");

  ASSERT_TRUE(dump);
  EXPECT_FALSE(dump->multi_node());
  EXPECT_TRUE(dump->graphs.front().channels.front().ranks.empty());
}

TEST(GraphXml, KeepsTheHeadOfNvlsAlone) {
  const auto dump = read_graph_xml(
      file_of(R"(<graph id="3" pattern="5" nchannels="1"><channel><gpu dev="4" rank="4"/>
                 <gpu dev="0" rank="0"/><gpu dev="0" rank="0"/></channel></graph>)"),
      "a.xml");

  ASSERT_TRUE(dump);
  const auto& channel = dump->graphs.front().channels.front();
  EXPECT_EQ(channel.gpus, (std::vector<DumpedDevice>{{4, 0}}));
  EXPECT_EQ(channel.ranks, (std::vector{4}));
}

std::string refusal(std::string_view text) {
  const auto dump = read_graph_xml(text, "a.xml");
  return dump ? "" : dump.sentence();
}

std::string refusal_of(std::string_view graph) { return refusal(file_of(graph)); }

TEST(GraphXml, RefusesOtherFiles) {
  EXPECT_THAT(refusal("<system version=\"1\"/>"), HasSubstr("give it to --nccl-xml"));
  EXPECT_THAT(refusal("<graphs/>"), HasSubstr("version"));
  EXPECT_THAT(refusal("<graphs version=\"2\"><graph/></graphs>"), HasSubstr("version"));
  EXPECT_THAT(refusal("<graphs version=\"1\"/>"), HasSubstr("no <graph>"));
  EXPECT_THAT(refusal("<graphs version=\"1\">"), StartsWith("a.xml:"));
}

TEST(GraphXml, RefusesWhatNcclCouldNotTake) {
  EXPECT_THAT(refusal_of(R"(<graph pattern="4" nchannels="0"/>)"), HasSubstr("id"));
  EXPECT_THAT(refusal_of(R"(<graph id="0" pattern="9" nchannels="0"/>)"), HasSubstr("pattern"));
  EXPECT_THAT(refusal_of(R"(<graph id="0" pattern="4" nchannels="2"/>)"), HasSubstr("nchannels"));
  EXPECT_THAT(refusal_of(R"(<graph id="0" pattern="4" nchannels="0" typeintra="NVX"/>)"),
              HasSubstr("typeintra"));
  EXPECT_THAT(refusal_of(R"(<graph id="0" pattern="4" nchannels="1"><channel/></graph>)"),
              HasSubstr("no <gpu>"));
  EXPECT_THAT(refusal_of(R"(<graph id="0" pattern="4" nchannels="0"/>
                            <graph id="0" pattern="4" nchannels="0"/>)"),
              HasSubstr("second <graph> with id 0"));
}

TEST(GraphXml, NamesTheLineOfAWrongDevice) {
  const auto why = refusal_of(
      "<graph id=\"0\" pattern=\"4\" nchannels=\"1\">\n<channel>\n"
      "<gpu dev=\"x\"/></channel></graph>");

  EXPECT_THAT(why, StartsWith("a.xml:4: "));
  EXPECT_THAT(why, HasSubstr("a device's number"));
}

TEST(GraphXml, RefusesMoreChannelsThanNcclHas) {
  std::string channels;
  for (int c = 0; c < 65; ++c) channels += "<channel><gpu dev=\"0\"/></channel>";

  EXPECT_THAT(
      refusal_of(fmt::format(R"(<graph id="0" pattern="4" nchannels="65">{}</graph>)", channels)),
      HasSubstr("64 channels at most"));
}

}  // namespace
}  // namespace linerate::topo
