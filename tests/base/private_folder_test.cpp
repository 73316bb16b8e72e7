#include "base/private_folder.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

using tapedeck::base::PrivateFolder;

TEST_CASE("private folder: only its owner can access it, and it is removed with its content") {
  std::string path;
  {
    const PrivateFolder folder;
    path = folder.path();
    struct stat status {};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0700);
    CHECK(folder.file("one") == path + "/one");
    std::ofstream(folder.file("one")) << "text";
    CHECK(std::filesystem::exists(path + "/one"));
    CHECK(PrivateFolder().path() != path);
  }
  CHECK_FALSE(std::filesystem::exists(path));
}
