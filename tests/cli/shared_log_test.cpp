// Memory that outlives the process that fills it.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "cli/running/shared_log.h"

namespace tapedeck::cli {

namespace {

std::vector<std::string> texts_of(const SharedLog& log) {
  std::vector<std::string> texts;
  log.each([&texts](std::string_view text) { texts.emplace_back(text); });
  return texts;
}

}  // namespace

TEST_CASE("shared log: what a process has added is there when it has been killed") {
  SharedLog log;
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 5000; ++i) static_cast<void>(log.add("entry " + std::to_string(i) + std::string(40, '.')));
    static_cast<void>(log.add(""));
    raise(SIGKILL);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  const std::vector<std::string> texts = texts_of(log);
  REQUIRE(texts.size() == 5001);
  CHECK(texts[4999].starts_with("entry 4999."));
  CHECK(texts[5000].empty());
}

TEST_CASE("shared log: it says when a block is new and when there is no room") {
  SharedLog log;
  CHECK(log.add("first") == SharedLog::Added::in_block);
  CHECK(log.add("second") == SharedLog::Added::here);
  std::size_t blocks = 0;
  for (int i = 0; i < 100; ++i) blocks += log.add(std::string(10'000, 'x')) == SharedLog::Added::in_block ? 1 : 0;
  CHECK(blocks >= 15);
  CHECK(blocks <= 16);
  const std::string huge(SharedLog::most, 'x');
  CHECK(log.add(huge) == SharedLog::Added::nowhere);
  CHECK(log.add("still") == SharedLog::Added::here);
  CHECK(texts_of(log).size() == 103);
  log.wipe();
  CHECK(texts_of(log).empty());
}

}  // namespace tapedeck::cli
