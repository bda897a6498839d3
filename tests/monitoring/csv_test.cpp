// SPDX-License-Identifier: Apache-2.0
#include <callboard/csv.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>
#include <vector>

namespace callboard {
namespace {

using testing::HasSubstr;

class CsvTest : public testing::Test {
protected:
  CsvTest() {
    std::string pattern = testing::TempDir() + "csv_test_XXXXXX";
    folder_ = mkdtemp(pattern.data());
  }
  ~CsvTest() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name = "out.csv") const { return folder_ / name; }
  std::string content() const {
    std::ifstream file(path());
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::filesystem::path folder_;
};

TEST_F(CsvTest, WritesAHeaderAndRowsOfNumbersAndTexts) {
  CsvWriter csv(path(), {"steps", "return", "note"});
  csv.write({1000, 0.1, "first"});
  csv.write({18'446'744'073'709'551'615ULL, -2.5f, std::string("second")});
  EXPECT_EQ(
      content(),
      "steps,return,note\n"
      "1000,0.1,first\n"
      "18446744073709551615,-2.5,second\n");
}

TEST_F(CsvTest, HasEachRowInTheFileAtOnce) {
  CsvWriter csv(path(), {"x"});
  EXPECT_EQ(content(), "x\n");
  csv.write({1});
  EXPECT_EQ(content(), "x\n1\n");
}

TEST_F(CsvTest, QuotesWhatRfc4180Quotes) {
  CsvWriter csv(path(), {"a,b", "c"});
  csv.write({"say \"hi\"", "two\nlines"});
  csv.write({"cr\r", " plain text; 'quoted' "});
  EXPECT_EQ(
      content(),
      "\"a,b\",c\n"
      "\"say \"\"hi\"\"\",\"two\nlines\"\n"
      "\"cr\r\", plain text; 'quoted' \n");
}

TEST_F(CsvTest, KeepsARowOfOneEmptyCellVisible) {
  CsvWriter csv(path(), {"x"});
  csv.write({""});
  EXPECT_EQ(content(), "x\n\"\"\n");
}

TEST_F(CsvTest, WritesNumbersThatReadBackAsTheSame) {
  CsvWriter csv(path(), {"x"});
  const std::vector<double> values = {1.0 / 3, 1e-310, 5e22, -0.0, std::nextafter(1.0, 2.0)};
  for (const double value : values)
    csv.write({value});
  std::istringstream lines(content());
  std::string line;
  std::getline(lines, line);
  for (const double value : values) {
    std::getline(lines, line);
    EXPECT_EQ(std::strtod(line.c_str(), nullptr), value) << line;
  }
}

TEST_F(CsvTest, WritesWhatIsNotANumberByName) {
  CsvWriter csv(path(), {"a", "b", "c"});
  const double infinity = std::numeric_limits<double>::infinity();
  csv.write({std::nan(""), infinity, -infinity});
  EXPECT_EQ(content(), "a,b,c\nnan,inf,-inf\n");
}

TEST_F(CsvTest, RefusesARowThatDoesNotFitItsHeader) {
  CsvWriter csv(path(), {"a", "b"});
  EXPECT_THROW(csv.write({1}), std::invalid_argument);
  EXPECT_THROW(csv.write({1, 2, 3}), std::invalid_argument);
  EXPECT_EQ(content(), "a,b\n") << "nothing of it is written";
  EXPECT_THROW(CsvWriter(path("none.csv"), {}), std::invalid_argument);
  EXPECT_FALSE(std::filesystem::exists(path("none.csv")));
}

TEST_F(CsvTest, BeginsANewFileEachTime) {
  CsvWriter(path(), {"old"}).write({1});
  const CsvWriter csv(path(), {"new"});
  EXPECT_EQ(content(), "new\n");
}

TEST_F(CsvTest, SaysWhichFileCannotBeOpenedAndWhy) {
  try {
    const CsvWriter csv(path("no/such/folder.csv"), {"x"});
    FAIL() << "it was opened";
  } catch (const std::system_error& error) {
    EXPECT_THAT(error.what(), HasSubstr(path("no/such/folder.csv")));
    EXPECT_THAT(error.what(), HasSubstr("No such file or directory"));
    EXPECT_EQ(error.code(), std::errc::no_such_file_or_directory);
  }
}

TEST_F(CsvTest, SaysWhenTheDiskIsFull) {
  try {
    const CsvWriter csv("/dev/full", {"x"});
    FAIL() << "it was written";
  } catch (const std::system_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("/dev/full"));
    EXPECT_EQ(error.code(), std::errc::no_space_on_device);
  }
}

} // namespace
} // namespace callboard
