#include "base/output_file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "base/private_folder.h"

using tapedeck::base::Descriptor;
using tapedeck::base::OutputFile;
namespace fs = std::filesystem;

namespace {

/// Writes "text" to a path. Returns the error, or nothing.
std::optional<std::string> output_failure(const std::string& path) {
  const auto expected = OutputFile::why_not(path);
  try {
    OutputFile file(path);
    file.stream() << "text";
    file.commit();
  } catch (const std::runtime_error& error) {
    CHECK(expected == error.what());
    return error.what();
  }
  CHECK(expected == std::nullopt);
  return std::nullopt;
}

bool has_part(const std::optional<std::string>& text, const char* part) { return text && text->find(part) != text->npos; }

void write_text(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string read_some(int descriptor) {
  char text[16] = {};
  const ssize_t got = ::read(descriptor, text, sizeof text);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

fs::file_type type_of(const std::string& path) { return fs::symlink_status(path).type(); }

std::size_t count_files(const std::string& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

Descriptor listening_at(const std::string& path) {
  Descriptor listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  REQUIRE(bind(listener.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  REQUIRE(listen(listener.number(), 1) == 0);
  return listener;
}

}  // namespace

TEST_CASE("output file: replaces a regular file as a whole with mode 0600 and leaves no other file") {
  const tapedeck::base::PrivateFolder folder;
  const std::string path = folder.file("out");
  for (const char* const before : {"", "an older one that is longer"}) {
    if (*before != '\0') write_text(path, before);
    CHECK(output_failure(path) == std::nullopt);
    CHECK(tapedeck::base::read_file(path) == "text");
    CHECK((fs::status(path).permissions() & fs::perms::all) == (fs::perms::owner_read | fs::perms::owner_write));
  }
  {
    OutputFile file(path);
    file.stream() << "half of it";
  }
  CHECK(tapedeck::base::read_file(path) == "text");
  CHECK(count_files(folder.path()) == 1);
}

TEST_CASE("output file: refuses links and folders with a hint and leaves them unchanged") {
  const tapedeck::base::PrivateFolder folder;
  const std::string target = folder.file("target"), link = folder.file("link"), dangling = folder.file("dangling");
  write_text(target, "mine");
  fs::create_symlink(target, link);
  fs::create_symlink("nowhere", dangling);
  fs::create_symlink("/dev/stdout", folder.file("output"));
  fs::create_directory(folder.file("sub"));
  const std::pair<std::string, std::string> rows[] = {
      {link, "is a link, and links are not followed; name the file itself: " + target},
      {dangling, "name the file itself: nowhere"},
      {folder.file("output"), "name the file itself: /dev/stdout"},
      {folder.file("sub"), "it is a folder; name a file in it"},
      {folder.file("none") + "/out", "No such file or directory"},
      {target + "/out", "Not a directory"},
  };
  for (const auto& [path, why] : rows) {
    CAPTURE(path);
    CHECK(has_part(output_failure(path), why.c_str()));
  }
  CHECK(tapedeck::base::read_file(target) == "mine");
  CHECK(type_of(link) == fs::file_type::symlink);
  CHECK(type_of(dangling) == fs::file_type::symlink);
  CHECK(count_files(folder.path()) == 5);
}

TEST_CASE("output file: writes to pipes, sockets, devices, and descriptors without replacing them") {
  const tapedeck::base::PrivateFolder folder;
  const std::string fifo = folder.file("fifo"), socket = folder.file("socket"), device = folder.file("null");
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const Descriptor reader(open(fifo.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  CHECK(output_failure(fifo) == std::nullopt);
  CHECK(read_some(reader.number()) == "text");
  CHECK(type_of(fifo) == fs::file_type::fifo);

  const Descriptor listener = listening_at(socket);
  CHECK(output_failure(socket) == std::nullopt);
  const Descriptor taken(accept(listener.number(), nullptr, nullptr));
  CHECK(read_some(taken.number()) == "text");
  CHECK(type_of(socket) == fs::file_type::socket);

  int ends[2] = {-1, -1};
  REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
  const Descriptor from(ends[0]), into(ends[1]);
  CHECK(output_failure("/dev/fd/" + std::to_string(ends[1])) == std::nullopt);
  CHECK(read_some(from.number()) == "text");

  // Uses a device node in a private folder, because a mistake of root would replace the real device.
  if (mknod(device.c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0 && Descriptor(open(device.c_str(), O_WRONLY)).open()) {
    CHECK(output_failure(device) == std::nullopt);
    CHECK(type_of(device) == fs::file_type::character);
    REQUIRE(mknod(folder.file("full").c_str(), S_IFCHR | 0600, makedev(1, 7)) == 0);
    OutputFile full(folder.file("full"));
    full.stream() << "text";
    CHECK_THROWS_WITH(full.commit(), Catch::Contains("No space left"));
  }
  CHECK(&OutputFile("-").stream() == &OutputFile("").stream());
  CHECK(&OutputFile("/dev/stdout").stream() == &std::cout);
  CHECK(&OutputFile("/dev/stderr").stream() == &std::cerr);
}

TEST_CASE("output file: with is_ours, refuses a file that no earlier run has written") {
  const tapedeck::base::PrivateFolder folder;
  const std::string path = folder.file("report");
  const auto is_ours = [](std::string_view head) { return head.starts_with("report"); };
  const std::pair<const char*, bool> rows[] = {{"report of yesterday", true}, {"", true}, {"notes", false}};
  for (const auto& [before, passes] : rows) {
    CAPTURE(before);
    write_text(path, before);
    CHECK((OutputFile::why_not(path, is_ours) == std::nullopt) == passes);
    if (!passes) CHECK_THROWS_AS(OutputFile(path, is_ours), std::runtime_error);
    CHECK(tapedeck::base::read_file(path) == before);
  }
}
