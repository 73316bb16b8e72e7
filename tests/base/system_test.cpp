#include "base/system.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "base/descriptor.h"
#include "base/private_folder.h"

using namespace tapedeck::base;
namespace fs = std::filesystem;

TEST_CASE("system: open_beneath opens what is below the folder and follows only links that stay there") {
  const PrivateFolder folder;
  const fs::path root = folder.file("root");
  fs::create_directories(root / "a/b");
  std::ofstream(root / "a/b/file") << "inside";
  std::ofstream(folder.file("secret")) << "outside";
  fs::create_symlink("b/../b/file", root / "a/link");
  fs::create_directory_symlink("a/b", root / "folder");
  fs::create_symlink("../secret", root / "up");
  fs::create_symlink("../../../secret", root / "a/b/far");
  fs::create_symlink(fs::path(folder.file("root")) / "a/b/file", root / "absolute");
  fs::create_symlink("loop", root / "loop");
  const Descriptor opened(open_folder(root.string()));
  REQUIRE(opened.open());
  for (const char* path : {"a/b/file", "a//b/./file", "a/link", "folder/file", "a/../a/b/file", "./a/b/file"}) {
    CAPTURE(path);
    const Descriptor file(open_beneath(opened.number(), path));
    REQUIRE(file.is_regular_file());
    CHECK(read_all(file.number()) == "inside");
  }
  const std::pair<const char*, int> refused[] = {{"../secret", EXDEV},
                                                 {"up", EXDEV},
                                                 {"a/b/far", EXDEV},
                                                 {"absolute", EXDEV},
                                                 {"/etc", EXDEV},
                                                 {"a/../../root/a/b/file", EXDEV},
                                                 {"a/b/file/more", ENOTDIR},
                                                 {"", ENOENT},
                                                 {"none", ENOENT},
                                                 {"loop", ELOOP},
                                                 {"..", EXDEV}};
  for (const auto& [path, code] : refused) {
    CAPTURE(path);
    CHECK_FALSE(Descriptor(open_beneath(opened.number(), path)).open());
    CHECK(errno == code);
  }
  CHECK_FALSE(Descriptor(open_beneath(opened.number(), "a/b")).is_regular_file());
}

TEST_CASE("system: programs inherit neither pipes nor sockets, and all are listed as open") {
  int ends[2] = {-1, -1};
  REQUIRE(make_pipe(ends));
  const Descriptor read_end(ends[0]), write_end(ends[1]), socket(stream_socket(AF_INET, Calls::never_wait));
  for (const Descriptor* one : {&read_end, &write_end, &socket}) {
    CHECK(fcntl(one->number(), F_GETFD) == FD_CLOEXEC);
    CHECK(open_descriptors().contains(one->number()));
  }
  CHECK((fcntl(socket.number(), F_GETFL) & O_NONBLOCK) != 0);
}

TEST_CASE("system: tells whether a signal comes from another process") {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  block_signals(set);
  kill(getpid(), SIGTERM);
  const Signal signal = wait_for_signal(set);
  CHECK(signal.number == SIGTERM);
  CHECK_FALSE(signal.from_terminal);
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}
