// The tables of types and operators: nccl-tests' names and order, widths, and their parsers.
#include "comm/data_type.h"
#include "comm/op.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace linerate {
namespace {

using testing::HasSubstr;

TEST(DataTypes, HaveTheWidthOfTheirCppType) {
  for (const auto& row : kDataTypes) {
    const auto bytes = with_type(row.type, []<typename T>() { return sizeof(T); });

    EXPECT_EQ(bytes, row.bytes) << row.name;
    EXPECT_EQ(row_of(row.type).name, row.name);
  }
}

TEST(DataTypes, AreReadByTheNameTheyPrint) {
  for (const auto& row : kDataTypes) EXPECT_EQ(*parse_data_type(row.name), row.type);
  EXPECT_EQ(name_of(*parse_data_type("half")), "half");
}

TEST(DataTypes, RefuseOtherSpellings) {
  for (const auto* text : {"", "float16", "fp16", "Float", "half ", "all", "int16"})
    EXPECT_FALSE(parse_data_type(text)) << text;
  EXPECT_THAT(parse_data_type("flot").sentence(), HasSubstr("Did you mean 'float'?"));
}

TEST(RedOps, AreReadByTheNameTheyPrint) {
  for (const auto& row : kRedOps) EXPECT_EQ(*parse_red_op(row.name), row.op);
  EXPECT_FALSE(parse_red_op("SUM"));
  EXPECT_THAT(parse_red_op("som").sentence(), HasSubstr("choose one of sum, prod, max, min, avg"));
}

TEST(RedOps, WeighOddRanksDoubleInMulsum) {
  EXPECT_EQ(premul_of(0), 1.0);
  EXPECT_EQ(premul_of(3), 2.0);
}

TEST(OpKinds, HaveDifferentNames) {
  std::set<std::string_view> names;
  for (int kind = 0; kind <= static_cast<int>(OpKind::send_recv); ++kind)
    names.insert(name_of(static_cast<OpKind>(kind)));

  EXPECT_EQ(names.size(), static_cast<std::size_t>(OpKind::send_recv) + 1);
}

}  // namespace
}  // namespace linerate
