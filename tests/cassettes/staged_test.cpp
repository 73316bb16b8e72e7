#include "cassettes/write/staged_cassette.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "cassettes/file/cassette_error.h"
#include "cassettes/read/cassette_reader.h"
#include "tests/cassettes/folder_state.h"
#include "tests/support/cassette_fixture.h"

using namespace tapedeck;
using cassettes::StagedCassette;

using cassettes::CassetteError;
using testing::bytes_of;
using testing::record;

namespace {

std::vector<std::string> files_in(const testing::TestFolder& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> ids_of(const std::string& path) {
  const cassettes::CassetteReader reader(path);
  std::vector<std::string> ids;
  reader.list([&ids](const auto& row) {
    ids.push_back(row.id);
    return true;
  });
  return ids;
}

using Names = std::vector<std::string>;

}  // namespace

TEST_CASE("staged cassette: an accepted copy has the old interactions under their ids, and the new ones") {
  const testing::TestCassette cassette = testing::cassette_with({record("SVC.Core.Network/1/get", testing::ok)});
  const Names before = ids_of(cassette.path());
  {
    StagedCassette staged(cassette.path());
    CHECK_FALSE(staged.found_left_over());
    const std::string old = bytes_of(cassette.path());
    auto take = testing::fixture_take();
    take.started_us += 1'000'000;
    testing::record_take(staged.path(), {record("SVC.Core.Share/1/list", testing::ok)}, take);
    CHECK(bytes_of(cassette.path()) == old);
    staged.accept();
  }
  CHECK(files_in(cassette.folder()) == Names{"test.cassette"});
  const Names after = ids_of(cassette.path());
  CHECK(after.size() == before.size() + 1);
  CHECK(std::find(after.begin(), after.end(), before[0]) != after.end());
}

TEST_CASE("staged cassette: what is not accepted leaves the cassette's bytes alone") {
  const testing::TestCassette cassette = testing::cassette_with({record("SVC.Core.Network/1/get", testing::ok)});
  const std::string old = bytes_of(cassette.path());
  { const StagedCassette staged(cassette.path()); }
  CHECK(files_in(cassette.folder()) == Names{"test.cassette"});
  for (int i = 0; i < 2; ++i) {
    StagedCassette staged(cassette.path());
    testing::record_take(staged.path(), {record("SVC.Core.Share/1/list", testing::ok)});
    CHECK(staged.keep_as_failed() == cassette.path() + ".failed");
  }
  CHECK(files_in(cassette.folder()) == Names{"test.cassette", "test.cassette.failed"});
  CHECK(ids_of(cassette.path() + ".failed").size() == 2);
  CHECK(bytes_of(cassette.path()) == old);
}

TEST_CASE("staged cassette: what a killed run has left becomes the failed one") {
  const testing::TestCassette cassette = testing::cassette_with({record("SVC.Core.Network/1/get", testing::ok)});
  std::filesystem::copy_file(cassette.path(), cassette.path() + ".recording");
  {
    const StagedCassette staged(cassette.path());
    CHECK(staged.found_left_over());
  }
  CHECK(files_in(cassette.folder()) == Names{"test.cassette", "test.cassette.failed"});
}

TEST_CASE("staged cassette: one at a time, and none beside a recorder") {
  const testing::TestCassette cassette = testing::cassette_with({record("SVC.Core.Network/1/get", testing::ok)});
  const StagedCassette first(cassette.path());
  CHECK_THROWS_AS(StagedCassette(cassette.path()), CassetteError);
  CHECK_THROWS_AS(cassettes::CassetteWriter(cassette.path(), testing::fixture_take()), CassetteError);
  CHECK(std::filesystem::exists(first.path()));
}

TEST_CASE("staged cassette: where there is none yet, the first recording becomes it") {
  const testing::TestFolder folder;
  const std::string path = folder.file("new.cassette");
  {
    StagedCassette staged(path);
    testing::record_take(staged.path(), {record("SVC.Core.Share/1/list", testing::ok)});
    staged.accept();
  }
  CHECK(files_in(folder) == Names{"new.cassette"});
  { const StagedCassette again(folder.file("other.cassette")); }
  CHECK(files_in(folder) == Names{"new.cassette"});
}

TEST_CASE("staged cassette: what is no cassette is not touched") {
  const testing::TestFolder folder;
  std::ofstream(folder.file("text")) << std::string(200, 'x');
  CHECK_THROWS_AS(StagedCassette(folder.file("text")), CassetteError);
  CHECK(files_in(folder) == Names{"text"});
}
