// Files of every kind, as settings.
#include "diagnose/env/sources.h"

#include "diagnose/env/statements.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace linerate::env {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> texts_of(const std::vector<Setting>& settings) {
  std::vector<std::string> texts;
  for (const auto& s : settings)
    texts.push_back(fmt::format("{} {}={}", s.where, s.name, s.computed ? "?" : s.value));
  return texts;
}

std::vector<std::string> read(std::string_view text, Format format = Format::detected) {
  const auto settings = read_settings("f", text, {.format = format});
  if (!settings) return {settings.sentence()};
  return texts_of(*settings);
}

TEST(ReadShell, TakesExportsAndPrefixes) {
  EXPECT_THAT(read("#!/bin/bash\n"
                   "export NCCL_DEBUG=INFO NCCL_IB_TC=106  # both\n"
                   "# export NCCL_P2P_DISABLE=1\n"
                   "NCCL_ALGO='Ring,Tree' ./train; NCCL_PROTO=\"LL\" env ./train\n"
                   "PASSWORD=secret\n"),
              ElementsAre("f:2 NCCL_DEBUG=INFO", "f:2 NCCL_IB_TC=106", "f:4 NCCL_ALGO=Ring,Tree",
                          "f:4 NCCL_PROTO=LL"));
}

TEST(ReadShell, TakesOptionsOfLaunchers) {
  EXPECT_THAT(read("#!/bin/bash\n"
                   "#SBATCH --export=ALL,NCCL_DEBUG=WARN\n"
                   "mpirun -np 8 \\\n"
                   "  -x NCCL_IB_HCA=mlx5 \\\n"
                   "  -x PATH ./train\n"
                   "docker run -e NCCL_NET=IB --env=UCX_TLS=rc image\n"
                   "setenv NCCL_ALGO Ring\n"),
              ElementsAre("f:2 NCCL_DEBUG=WARN", "f:4 NCCL_IB_HCA=mlx5", "f:6 NCCL_NET=IB",
                          "f:6 UCX_TLS=rc", "f:7 NCCL_ALGO=Ring"));
}

TEST(ReadShell, LeavesOutWhatIsPrintedComputedOrUnset) {
  EXPECT_THAT(read("#!/bin/sh\n"
                   "echo NCCL_DEBUG=INFO\n"
                   "export NCCL_IB_HCA=$HCAS\n"
                   "export NCCL_TOPO_FILE=~/t.xml\n"
                   "export NCCL_ALGO='$HCAS'\n"
                   "export NCCL_NET=IB\n"
                   "unset NCCL_NET\n"),
              ElementsAre("f:3 NCCL_IB_HCA=?", "f:4 NCCL_TOPO_FILE=?", "f:5 NCCL_ALGO=$HCAS"));
}

TEST(ReadShell, GivesEachCommandItsScopeAndExportsNone) {
  const auto settings = read_shell("f",
                                   "export NCCL_DEBUG=WARN\n"
                                   "NCCL_P2P_LEVEL=NVL ./a\n"
                                   "mpirun -x NCCL_P2P_DISABLE=1 \\\n"
                                   "  -x NCCL_SHM_DISABLE=1 ./b\n",
                                   4);

  ASSERT_EQ(settings.size(), 4u);
  EXPECT_EQ(settings[0].scope, 0);
  EXPECT_EQ(settings[1].scope, 4);
  EXPECT_EQ(settings[2].scope, 5);
  EXPECT_EQ(settings[3].scope, 5);
}

TEST(ReadShell, LeavesOutVariablesOfTheScriptThatAreNotExported) {
  EXPECT_THAT(read("#!/bin/bash\n"
                   "NCCL_TIMEOUT=5\n"
                   "NCCL_NET=IB\n"
                   "if true; then NCCL_IB_TC=3; fi\n"
                   "export NCCL_NET\n"
                   "mpirun -x NCCL_IB_TC ./a\n"),
              ElementsAre("f:3 NCCL_NET=IB", "f:4 NCCL_IB_TC=3"));
  EXPECT_THAT(read("set -a\nNCCL_NET=IB\nexport NCCL_IB_TC=3\n"),
              ElementsAre("f:2 NCCL_NET=IB", "f:3 NCCL_IB_TC=3"));
}

TEST(ReadShell, TakesTheValueThatHoldsUnlessItIsSet) {
  EXPECT_THAT(read("export NCCL_DEBUG=${NCCL_DEBUG:-WARN}\n"
                   "export NCCL_ALGO=\"${ALGO:-Ring,Tree}\"\n"
                   "export NCCL_PROTO=${P:-$Q}\n"),
              ElementsAre("f:1 NCCL_DEBUG=WARN", "f:2 NCCL_ALGO=Ring,Tree", "f:3 NCCL_PROTO=?"));
}

TEST(ReadShell, ReadsOptionsThatAreKeptForLater) {
  EXPECT_THAT(read("#!/bin/sh\nARGS+=\" -x NCCL_NET=IB -np 2 -x UCX_TLS=rc\"\n"),
              ElementsAre("f:2 NCCL_NET=IB", "f:2 UCX_TLS=rc"));
}

TEST(ReadShell, ReadsCommandsWithinWords) {
  EXPECT_THAT(read("ssh n1 \"NCCL_DEBUG=INFO API_TOKEN=hunter2 ./train\"\n"
                   "docker exec c sh -c 'NCCL_P2P_DISABLE=1 python t.py'\n"
                   "bash -c \"ssh n1 'NCCL_NET=IB ./a'\"\n"
                   "export \"NCCL_ALGO=Ring, Tree\"\n"
                   "mpirun -x 'NCCL_IB_HCA=mlx5_0, mlx5_1' ./a\n"),
              ElementsAre("f:1 NCCL_DEBUG=INFO", "f:2 NCCL_P2P_DISABLE=1", "f:3 NCCL_NET=IB",
                          "f:4 NCCL_ALGO=Ring, Tree", "f:5 NCCL_IB_HCA=mlx5_0, mlx5_1"));
}

TEST(ReadShell, CutsListsOfVariables) {
  EXPECT_THAT(read("apptainer exec --env NCCL_DEBUG=INFO,API_TOKEN=hunter2 img\n"
                   "qsub -v NCCL_ALGO=Ring,Tree,NCCL_NET=IB job.sh\n"
                   "docker run -e NCCL_ALGO=Ring,Tree img\n"),
              ElementsAre("f:1 NCCL_DEBUG=INFO", "f:2 NCCL_ALGO=Ring", "f:2 NCCL_NET=IB",
                          "f:3 NCCL_ALGO=Ring,Tree"));
}

TEST(ReadShell, PassesOverHereDocuments) {
  EXPECT_THAT(read("cat <<EOF >readme\n"
                   "it's export NCCL_NET=IB\n"
                   "EOF\n"
                   "cat <<-'END'; cat <<<word\n"
                   "export NCCL_PROTO=LL\n"
                   "\tEND\n"
                   "export NCCL_DEBUG=INFO\n"
                   "N=$((1 << 2)) M=$((N << S))\n"
                   "export NCCL_ALGO=Ring\n"),
              ElementsAre("f:7 NCCL_DEBUG=INFO", "f:9 NCCL_ALGO=Ring"));
}

TEST(ReadShell, ReadsHereDocumentsOfShells) {
  EXPECT_THAT(read("ssh n1 bash <<EOF\n"
                   "export NCCL_NET=IB\n"
                   "NCCL_DEBUG=INFO ./train\n"
                   "EOF\n"
                   "cat <<'END' | /bin/sh\n"
                   "export NCCL_PROTO=LL\n"
                   "END\n"
                   "export NCCL_ALGO=Ring\n"),
              ElementsAre("f:2 NCCL_NET=IB", "f:3 NCCL_DEBUG=INFO", "f:6 NCCL_PROTO=LL",
                          "f:8 NCCL_ALGO=Ring"));
}

TEST(ReadShell, ReadsWhatIsWrittenForJobs) {
  EXPECT_THAT(read("#!/bin/bash\n"
                   "cat > job.sbatch <<EOF\n"
                   "export NCCL_NET=IB NCCL_IB_HCA=\\$HCAS\n"
                   "EOF\n"
                   "cat <<'END' | sudo tee /etc/nccl.conf\n"
                   "NCCL_DEBUG=WARN\n"
                   "NCCL_SOCKET_IFNAME=$IFACE\n"
                   "END\n"
                   "cat >>/etc/nccl.conf <<END\n"
                   "NCCL_PROTO=$PROTO\n"
                   "END\n"
                   "echo \"NCCL_IB_TC=106\" >> /etc/nccl.conf\n"
                   "echo NCCL_IB_SL=3 | sudo tee -a /etc/nccl.conf >/dev/null\n"
                   "printf 'NCCL_MIN_CTAS=4\\nNCCL_MAX_CTAS=8\\n' | tee /etc/nccl.conf\n"
                   "echo -e \"NCCL_BUFFSIZE=8\\nNCCL_NTHREADS=64\" > ~/.nccl.conf\n"
                   "echo NCCL_ALGO=Ring || tee /etc/nccl.conf\n"
                   "echo NCCL_ALGO=Ring | grep x\n"
                   "echo \"export NCCL_ALGO=Ring\" >> notes.txt\n"
                   "echo \"NCCL_ALGO=Ring is now in /etc/nccl.conf\"\n"
                   "echo NCCL_ALGO=Ring is in /etc/nccl.conf\n"),
              ElementsAre("f:3 NCCL_NET=IB", "f:3 NCCL_IB_HCA=?", "f:6 NCCL_DEBUG=WARN",
                          "f:7 NCCL_SOCKET_IFNAME=$IFACE", "f:10 NCCL_PROTO=?",
                          "f:12 NCCL_IB_TC=106", "f:13 NCCL_IB_SL=3", "f:14 NCCL_MIN_CTAS=4",
                          "f:15 NCCL_MAX_CTAS=8", "f:15 NCCL_BUFFSIZE=8", "f:16 NCCL_NTHREADS=64"));
}

TEST(ReadShell, FindsExportsOfCasesAndFunctions) {
  const auto settings = read_shell("f",
                                   "case $HOST in a*) export NCCL_DEBUG=INFO;; esac\n"
                                   "setup() { export NCCL_ALGO=Ring; }\n"
                                   "#SBATCH -N 2 --export=ALL,NCCL_NET=IB\n"
                                   "export NCCL_IB_TC=$(cat tc) NCCL_PROTO=LL\n",
                                   4);

  EXPECT_THAT(texts_of(settings),
              ElementsAre("f:1 NCCL_DEBUG=INFO", "f:2 NCCL_ALGO=Ring", "f:3 NCCL_NET=IB",
                          "f:4 NCCL_IB_TC=?", "f:4 NCCL_PROTO=LL"));
  for (const auto& setting : settings) EXPECT_EQ(setting.scope, 0) << setting.where;
}

TEST(ReadShell, LeavesOutWhatIsPassedOn) {
  EXPECT_THAT(read("export NCCL_NET=IB\nmpirun -x NCCL_NET=\"${NCCL_NET}\" ./a\n"),
              ElementsAre("f:1 NCCL_NET=IB"));
}

TEST(ReadShell, KnowsNoValueOfWhatIsPassedOnFromOutside) {
  EXPECT_THAT(read("mpirun -x NCCL_DEBUG -x PATH -x NCCL_NET=$NCCL_NET ./a\n"),
              ElementsAre("f:1 NCCL_DEBUG=?", "f:1 NCCL_NET=?"));
  EXPECT_THAT(read("#!/bin/sh\nARGS=\"-np 2 -x NCCL_DEBUG\"\nexport NCCL_NET\n"),
              ElementsAre("f:2 NCCL_DEBUG=?", "f:3 NCCL_NET=?"));
}

TEST(ReadShell, ReadsEnvFiles) {
  EXPECT_THAT(read("NCCL_DEBUG=INFO\nOTHER=1\n"), ElementsAre("f:1 NCCL_DEBUG=INFO"));
}

TEST(ReadShell, RefusesMoreCommandsThanAnybodyWrites) {
  std::string text;
  for (int i = 0; i < 1001; ++i) text += "NCCL_DEBUG=WARN ./a\n";

  EXPECT_THAT(read(text), ElementsAre(HasSubstr("more than 1000 of its commands")));
}

TEST(ReadDockerfile, TakesWhatIsWrittenIntoNcclConf) {
  const auto settings = read_settings("Dockerfile",
                                      "FROM a\nRUN echo NCCL_DEBUG=INFO > /etc/nccl.conf && "
                                      "export NCCL_ALGO=Ring\n"
                                      "COPY <<EOF /etc/nccl.conf\nNCCL_BUFFSIZE = 4M\nEOF\n",
                                      {});

  ASSERT_TRUE(settings.ok());
  EXPECT_THAT(texts_of(*settings),
              ElementsAre("Dockerfile:2 NCCL_DEBUG=INFO", "Dockerfile:4 NCCL_BUFFSIZE = 4M"));
  EXPECT_TRUE(settings->front().conf);
}

TEST(ReadDockerfile, TakesBothFormsOfEnv) {
  EXPECT_THAT(
      read("FROM base\n"
           "ENV NCCL_DEBUG INFO\n"
           "ENV NCCL_IB_TC=106 \\\n"
           "    # the one to the other nodes\n"
           "    NCCL_SOCKET_IFNAME=\"eth0\"\n"
           "ARG NCCL_TAG=v2.21.5\n"
           "ENV API_TOKEN secret\n"
           "RUN NCCL_ALGO=Ring make\n"),
      ElementsAre("f:2 NCCL_DEBUG=INFO", "f:3 NCCL_IB_TC=106", "f:5 NCCL_SOCKET_IFNAME=eth0"));
}

TEST(ReadYaml, TakesPairsMapsListsAndCommands) {
  EXPECT_THAT(read("apiVersion: v1\n"
                   "spec:\n"
                   "  containers:\n"
                   "  - name: worker\n"
                   "    env:\n"
                   "    - name: NCCL_DEBUG\n"
                   "      value: \"INFO\"\n"
                   "    - name: NCCL_IB_HCA\n"
                   "      valueFrom: {configMapKeyRef: {name: a, key: b}}\n"
                   "    - {name: TOKEN, value: secret}\n"
                   "    - {Name: NCCL_IB_TC, Value: 3}\n"
                   "    args: [\"-x\", \"NCCL_NET=IB\"]\n"
                   "---\n"
                   "environment:\n"
                   "  NCCL_ALGO: Ring\n"
                   "script: |\n"
                   "  set -e\n"
                   "  export NCCL_PROTO=LL\n"),
              ElementsAre("f:7 NCCL_DEBUG=INFO", "f:8 NCCL_IB_HCA=?", "f:11 NCCL_IB_TC=3",
                          "f:12 NCCL_NET=IB", "f:15 NCCL_ALGO=Ring", "f:18 NCCL_PROTO=LL"));
}

TEST(ReadYaml, GivesEachContainerItsScope) {
  const auto settings = read_yaml("f",
                                  "containers:\n"
                                  "- env:\n"
                                  "  - {name: NCCL_NET, value: IB}\n"
                                  "  args: [NCCL_IB_TC=3]\n"
                                  "- env: {NCCL_IB_DISABLE: 1}\n",
                                  5);

  ASSERT_TRUE(settings.ok());
  ASSERT_EQ(settings->size(), 3u);
  EXPECT_EQ((*settings)[0].scope, (*settings)[1].scope);
  EXPECT_NE((*settings)[0].scope, (*settings)[2].scope);
  EXPECT_GT((*settings)[0].scope, 4);
}

TEST(ReadYaml, KeepsCommandsOfOneTextApart) {
  const auto settings = read_yaml("f",
                                  "env: {NCCL_DEBUG: WARN}\n"
                                  "script: |\n"
                                  "  NCCL_NET=IB ./a\n"
                                  "  NCCL_IB_DISABLE=1 ./b\n",
                                  1);

  ASSERT_TRUE(settings.ok());
  ASSERT_EQ(settings->size(), 3u);
  EXPECT_NE((*settings)[1].scope, (*settings)[2].scope);
}

TEST(ReadYaml, ReadsNoProse) {
  EXPECT_THAT(read("note: \"do not set NCCL_BUFFSIZE=4M, it is slow\"\n"
                   "before_script: [NCCL_NET=IB ./a]\n"
                   "environment: [NCCL_ALGO=Ring]\n"),
              ElementsAre("f:2 NCCL_NET=IB", "f:3 NCCL_ALGO=Ring"));
}

TEST(ReadYaml, ReadsJson) {
  EXPECT_THAT(
      read("{\n  \"env\": {\n    \"NCCL_DEBUG\": \"INFO\",\n    \"NCCL_IB_TC\": 106\n  }\n}\n"),
      ElementsAre("f:3 NCCL_DEBUG=INFO", "f:4 NCCL_IB_TC=106"));
}

TEST(ReadYaml, SaysWhatIsNotYaml) {
  EXPECT_THAT(read("a: [1\n", Format::yaml), ElementsAre(HasSubstr("it is not YAML")));
  EXPECT_THAT(read("a: 1\n---\nb: [1\n", Format::yaml),
              ElementsAre(HasSubstr("in the document from line 3 on")));
}

// Twenty aliases of each other, ten of each: 10^20 values.
TEST(ReadYaml, DoesNotFollowAliasesForever) {
  std::string text = "a0: &a0 [x]\n";
  for (int i = 1; i < 20; ++i) {
    text += fmt::format("a{0}: &a{0} [", i);
    for (int j = 0; j < 10; ++j) text += fmt::format("*a{},", i - 1);
    text += "]\n";
  }

  EXPECT_THAT(read(text, Format::yaml), ElementsAre(HasSubstr("more than")));
}

TEST(ReadYaml, RefusesAliasesOfWhatIsAroundThem) {
  for (const auto* text : {"a: &a [*a]\n", "a: &a {b: *a}\n", "a: &a [*a, *a]\n"})
    EXPECT_THAT(read(text, Format::yaml), ElementsAre(HasSubstr("nest deeper than 32."))) << text;
}

TEST(ReadNcclConf, TakesLinesAsTheyAre) {
  const auto settings = read_nccl_conf("f",
                                       "# NCCL_DEBUG=INFO\n"
                                       "NCCL_DEBUG=INFO\r\n"
                                       "nothing\n"
                                       "export NCCL_NET=IB=2\n");

  EXPECT_THAT(texts_of(settings), ElementsAre("f:2 NCCL_DEBUG=INFO", "f:4 export NCCL_NET=IB=2"));
  EXPECT_TRUE(settings[0].conf);
}

TEST(ReadNcclConf, KeepsCarriageReturnsAsOldVersionsDo) {
  EXPECT_EQ(read_nccl_conf("f", "NCCL_DEBUG=INFO\r\n", {29, 7}).at(0).value, "INFO\r");
  EXPECT_EQ(read_nccl_conf("f", "NCCL_DEBUG=INFO\r\n", {30, 3}).at(0).value, "INFO");
}

TEST(ReadEnviron, TakesWhatAProcessHas) {
  EXPECT_THAT(read(std::string_view("A=it's\0NCCL_ALGO=a b\0\0UCX_TLS=rc\0", 32)),
              ElementsAre("f NCCL_ALGO=a b", "f UCX_TLS=rc"));
}

TEST(ReadSettings, RefusesWhatIsNoText) {
  const auto binary = std::string(
      "\x7f"
      "ELF\0\0NCCL_DEBUG=INFO\0",
      22);
  const auto utf16 = std::string("N\0C\0C\0L\0=\0", 10);
  for (const auto& text : {binary, utf16}) EXPECT_THAT(read(text), ElementsAre(": it is no text."));
}

TEST(ReadSettings, PassOverAByteOrderMark) {
  EXPECT_THAT(read("\xef\xbb\xbf"
                   "NCCL_DEBUG=INFO\n"),
              ElementsAre("f:1 NCCL_DEBUG=INFO"));
}

TEST(OpenQuote, NamesItsLine) {
  EXPECT_EQ(statements_of("a\necho it's\nexport NCCL_NET=IB\n", 1).open_quote, 2);
  EXPECT_EQ(statements_of("echo 'a b' # it's\n", 1).open_quote, 0);
}

TEST(DetectedFormat, GoesByContent) {
  EXPECT_EQ(detected_format("x", "#!/bin/sh\na: b\n"), Format::shell);
  EXPECT_EQ(detected_format("x", "# comment\n\nexport A=1\n"), Format::shell);
  EXPECT_EQ(detected_format("x", "A=1\n"), Format::shell);
  EXPECT_EQ(detected_format("x", "# syntax=docker\nFROM a\n"), Format::dockerfile);
  EXPECT_EQ(detected_format("x", "apiVersion: v1\n"), Format::yaml);
  EXPECT_EQ(detected_format("x", "- name: a\n"), Format::yaml);
  EXPECT_EQ(detected_format("x", "{\"a\": 1}"), Format::yaml);
  EXPECT_EQ(detected_format("x", "[[ -f a ]] && b\n"), Format::shell);
  EXPECT_EQ(detected_format("/etc/nccl.conf", "A=1\n"), Format::nccl_conf);
}

TEST(SettingsOf, LeavesOtherVariablesOut) {
  const auto settings =
      settings_of(Environment({{"NCCL_DEBUG", "INFO"}, {"API_TOKEN", "secret"}, {"NCCL_NET", ""}}));

  EXPECT_THAT(texts_of(settings), ElementsAre("environment NCCL_DEBUG=INFO"));
}

TEST(ReadShell, EndsWithWhateverIsOpen) {
  EXPECT_THAT(read("NCCL_DEBUG='INFO", Format::shell), ElementsAre("f:1 NCCL_DEBUG=INFO"));
  EXPECT_THAT(read("\\", Format::shell), IsEmpty());
}

}  // namespace
}  // namespace linerate::env
