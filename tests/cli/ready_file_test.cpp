#include "cli/running/ready_file.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/descriptor.h"
#include "tests/support/cassette_fixture.h"

namespace tapedeck::cli {

TEST_CASE("ready file: appears complete, and only when it is put") {
  const testing::TestFolder folder;
  const std::string path = folder.file("ready");
  {
    ReadyFile file(path);
    file.prepare("http://127.0.0.1:1", {{"command", "record"}, {"token", "t"}});
    CHECK_FALSE(std::filesystem::exists(path));
    file.put();
    CHECK(base::read_file(path) == "http://127.0.0.1:1\ncommand=record\ntoken=t\n");
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777U) == 0600);
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("ready file: a command that fails before it is ready leaves nothing") {
  const testing::TestFolder folder;
  { ReadyFile(folder.file("ready")).prepare("http://127.0.0.1:1", {}); }
  CHECK(std::filesystem::is_empty(folder.path()));
}

}  // namespace tapedeck::cli
