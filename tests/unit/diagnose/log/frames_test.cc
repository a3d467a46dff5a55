// Back traces of made-up crashes.
#include "diagnose/log/frames.h"

#include "diagnose/log/report.h"
#include "unit/diagnose/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::logs {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string place_in(std::string_view line) { return frame_in(line).value_or(Frame()).place; }
std::string remedy_in(std::string_view line) { return frame_in(line).value_or(Frame()).remedy; }

TEST(LogFrame, NamesLibraryAndFunctionInEachForm) {
  EXPECT_EQ(place_in("[n4:31] [ 3] /opt/x/libpan.so.4(pan_stir+0x12f)[0x7f12ab34]"),
            "libpan.so.4 (pan_stir)");
  EXPECT_EQ(place_in("[n4:31] [ 3] cook[0x43ab12]"), "cook");
  EXPECT_EQ(place_in("./cook() [0x43ab12]"), "cook");
  EXPECT_EQ(place_in("/opt/libpan.so(+0x9f) [0x7f12ab34]"), "libpan.so");
  EXPECT_EQ(place_in(" 2 0x00000000000ab340 pan_stir()  /build/pan.c:77"), "pan_stir (pan.c:77)");
  EXPECT_EQ(place_in("frame #4: pan::stir(int) + 0x9f (0x7f12ab34 in /opt/libpan.so)"),
            "libpan.so (pan::stir(int))");
}

TEST(LogFrame, IsNoneOfTheSystemNorAnyOtherLine) {
  for (const std::string_view line :
       {"[n4:31] [ 0] /lib64/libpthread.so.0(+0x9d80)[0x7f12ab34]", "[n4:31] [ 0] [0x7f12ab34]",
        "/lib64/libc.so.6(abort+0x9) [0x7f12ab34]", " 1 0x00000000000ab340 killpg()  ???:0",
        " 0  /opt/libucs.so.0(ucs_handle_error+0x9) [0x7f]",
        "frame #0: c10::Error::Error(x) + 0x9f (0x7f12ab34 in /opt/libc10.so)",
        "[n4:31] Failing at address: 0x7f12ab34", "step 3 at 0x7f12 of 9", "values [0x7]",
        "[0x7f12]", "sum (a + 0x1 in b", ""})
    EXPECT_EQ(place_in(line), "") << line;
}

TEST(LogFrame, OfATransportNamesWhatLeavesItOut) {
  EXPECT_THAT(remedy_in("[ 1] /x/mca_btl_pigeon.so(+0x9)[0x7f12]"),
              HasSubstr("--mca btl ^pigeon leaves"));
  EXPECT_THAT(remedy_in("[ 1] /x/libmpi.so.40(mca_pml_owl_send+0x9)[0x7f12]"),
              HasSubstr("--mca pml ^owl leaves"));
  EXPECT_THAT(remedy_in(" 2 0x00ab uct_owl_post()  owl.c:7"), HasSubstr("UCX_TLS"));
  EXPECT_THAT(remedy_in("/x/libowl-fi.so(owl_send+0x9) [0x7f12]"), HasSubstr("FI_PROVIDER"));
  EXPECT_THAT(remedy_in("/x/libpsm2.so.2(owl_send+0x9) [0x7f12]"), HasSubstr("mtl ^psm"));
  for (const std::string_view line :
       {"[ 1] /x/libmpi.so.40(mca_pml_base_send+0x9)[0x7f12]", "cook(stir+0x9)[0x7f12]"})
    EXPECT_EQ(remedy_in(line), "") << line;
}

const std::string kCrash = "[n4:31] Signal: Segmentation fault (11)\n[n4:31] Failing at: (nil)\n";
const std::string kTrace =
    "[n4:31] [ 0] /lib64/libpthread.so.0(+0x9d80)[0x7f12ab34]\n"
    "[n4:31] [ 1] /x/mca_btl_pigeon.so(pigeon_get+0x141)[0x7f12ab35]\n"
    "[n4:31] [ 2] cook[0x43ab12]\n";

TEST(LogCrash, TellsWhereItsBackTraceBegins) {
  const auto finding = read_log(kCrash + kTrace).findings.at(0);

  EXPECT_EQ(finding.rule, "rank-crashed");
  EXPECT_THAT(finding.evidence, HasSubstr("begins in mca_btl_pigeon.so (pigeon_get)."));
  EXPECT_THAT(finding.advice, HasSubstr("--mca btl ^pigeon leaves it out, and tells whether"));
  EXPECT_THAT(read_log(kTrace + kCrash).findings.at(0).evidence, Not(HasSubstr("begins in")));
}

TEST(LogCrash, OfAProgramNamesNoTransport) {
  const auto finding =
      read_log(kCrash + "[n4:31] [ 0] cook(stir+0x9)[0x43ab12]\n" + kTrace).findings.at(0);

  EXPECT_THAT(finding.evidence, HasSubstr("begins in cook (stir)."));
  EXPECT_THAT(finding.advice, Not(HasSubstr("leaves it out")));
}

TEST(LogCrash, HasItsBackTraceNearby) {
  const auto later = kCrash + std::string(50, '\n') + kTrace;

  EXPECT_THAT(read_log(later).findings.at(0).evidence, Not(HasSubstr("begins in")));
}

TEST(LogCrash, OfJuliaMayBeTheSignalByWhichItStopsItsThreads) {
  const auto finding =
      read_log(kCrash + " 3  /x/libjulia.so.1(jl_gc_state_set+0x1c) [0x7f21]\n").findings.at(0);

  EXPECT_THAT(finding.advice, HasSubstr("UCX_ERROR_SIGNALS=SIGILL,SIGBUS,SIGFPE leaves SIGSEGV"));
}

}  // namespace
}  // namespace linerate::logs
