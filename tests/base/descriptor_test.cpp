#include "base/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace tapedeck::base;

namespace {

bool is_open(int number) { return fcntl(number, F_GETFD) >= 0; }

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("descriptor: is closed once by its owner") {
  int number = -1;
  {
    Descriptor first(open("/dev/null", O_RDONLY | O_CLOEXEC));
    number = first.number();
    Descriptor second(std::move(first));
    CHECK_FALSE(first.open());  // NOLINT: checks the moved-from object
    CHECK(second.number() == number);
    CHECK(is_open(number));
  }
  CHECK_FALSE(is_open(number));

  Descriptor kept(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const int replaced = kept.number();
  Descriptor other(open("/dev/null", O_RDONLY | O_CLOEXEC));
  kept = std::move(other);
  CHECK_FALSE(is_open(replaced));
  const int released = kept.release();
  CHECK_FALSE(kept.open());
  CHECK(is_open(released));
  close(released);
}

TEST_CASE("descriptor: reports the kind and size of a file") {
  char name[] = "/tmp/tapedeck-descriptor-XXXXXX";
  Descriptor file(mkostemp(name, O_CLOEXEC));
  REQUIRE(file.open());
  REQUIRE(write_all(file.number(), "12345"));
  const Descriptor again(open(name, O_RDONLY | O_CLOEXEC));
  unlink(name);
  CHECK(file.size() == 5);
  CHECK(file.is_regular_file());
  CHECK(file.id() == again.id());
  const Descriptor folder(open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  CHECK_FALSE(folder.is_regular_file());
  CHECK_FALSE(Descriptor().is_regular_file());
  CHECK_FALSE(file.id() == folder.id());
}

TEST_CASE("descriptor: reads the available bytes at an offset") {
  char name[] = "/tmp/tapedeck-descriptor-XXXXXX";
  const Descriptor file(mkostemp(name, O_CLOEXEC));
  unlink(name);
  REQUIRE(write_all(file.number(), "12345"));
  std::array<char, 3> into{};
  CHECK(read_at(file.number(), 1, into) == 3);
  CHECK(std::string_view(into.data(), 3) == "234");
  errno = EIO;
  CHECK(read_at(file.number(), 4, into) == 1);
  CHECK(errno == 0);
  CHECK(into[0] == '5');
  CHECK(read_at(-1, 0, into) == 0);
  CHECK(errno == EBADF);
}

TEST_CASE("descriptor: reads a whole file") {
  char name[] = "/tmp/tapedeck-descriptor-XXXXXX";
  const Descriptor file(mkostemp(name, O_CLOEXEC));
  CHECK(read_file(name) == "");
  const std::string bytes(200'000, 'x');
  REQUIRE(write_all(file.number(), bytes));
  CHECK(read_file(name) == bytes);
  CHECK(read_all(file.number()) == "");  // the file offset is at the end
  unlink(name);
  CHECK_FALSE(read_file(name));
  CHECK(errno == ENOENT);
  CHECK_FALSE(read_file("/tmp"));
  CHECK(errno == EISDIR);
}

TEST_CASE("descriptor: a failed write sets errno") {
  const Descriptor full(open("/dev/full", O_WRONLY | O_CLOEXEC));
  REQUIRE(full.open());
  CHECK_FALSE(write_all(full.number(), "x"));
  CHECK(errno == ENOSPC);
}

TEST_CASE("descriptor: replaces a file as a whole with its mode and leaves no other file") {
  char name[] = "/tmp/tapedeck-replace-XXXXXX";
  REQUIRE(mkdtemp(name) != nullptr);
  const std::filesystem::path folder = name;
  const std::string path = folder / "file";
  CHECK(replace_file(path, "one", 0600));
  CHECK(text_of(path) == "one");
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0600);
  CHECK(replace_file(path, "two", 0644));
  CHECK(text_of(path) == "two");
  REQUIRE(stat(path.c_str(), &status) == 0);
  CHECK((status.st_mode & 0777) == 0644);
  CHECK(files_in(folder) == 1);

  std::filesystem::create_directory(folder / "taken");
  CHECK_FALSE(replace_file(folder / "taken", "three", 0600));
  CHECK_FALSE(replace_file(folder / "no" / "folder", "three", 0600));
  CHECK(errno == ENOENT);
  CHECK(files_in(folder) == 2);
  std::filesystem::remove_all(folder);
}
