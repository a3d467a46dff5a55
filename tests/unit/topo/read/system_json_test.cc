// A system comes back from JSON as it was; foreign JSON is refused or harmless.
#include "topo/read/system_json.h"

#include "topo/cluster/platforms.h"
#include "topo/lint/lint.h"

#include <gtest/gtest.h>

namespace linerate::topo {
namespace {

Result<System> read_back(const System& system) {
  return system_of_json(nlohmann::json::parse(json_of(system).dump()));
}

TEST(SystemJson, GivesBuiltInPlatformsBack) {
  for (const auto* name : {"dgx-h100", "dgx-a100"}) {
    auto system = *built_in_platform(name);
    system.cpus.front().devices.front().max_link = {"64.0 GT/s PCIe", 16};

    const auto read = read_back(system);

    ASSERT_TRUE(read.ok()) << read.sentence();
    auto expected = system;
    walk_ports(expected, [](auto& nets) {
      for (auto& net : nets) net.guid = 0;
    });
    expected.source = "a snapshot";
    EXPECT_EQ(*read, expected) << name;
    EXPECT_EQ(lint(*read), lint(system));
  }
}

TEST(SystemJson, LeavesOutWhatNamesThePort) {
  System system{.cpus = {Cpu{}}};
  system.cpus.front().nets = {{.name = "mlx5_0", .guid = 0xabcdef}};
  EXPECT_EQ(json_of(system).dump().find("guid"), std::string::npos);
  EXPECT_EQ(read_back(system)->cpus.front().nets.front().guid, 0U);
}

TEST(SystemJson, RefusesWhatIsNoMachine) {
  std::string deep = R"({"bus_id":"0000:18:00.0"})";
  for (int i = 0; i < 40; ++i) deep = R"({"bus_id":"0000:18:00.0","children":[)" + deep + "]}";
  for (const auto& text : {std::string("[]"), std::string("{}"), std::string(R"({"cpus":[]})"),
                           std::string(R"({"cpus":[{"numa":"1"}]})"),
                           std::string(R"({"cpus":[{"cores":2000000000}]})"),
                           std::string(R"({"cpus":[{"arch":"vax"}]})"),
                           std::string(R"({"cpus":[{"devices":[{"bus_id":"x"}]}]})"),
                           R"({"cpus":[{"devices":[)" + deep + "]}]}"})
    EXPECT_FALSE(system_of_json(nlohmann::json::parse(text)).ok()) << text;
}

}  // namespace
}  // namespace linerate::topo
