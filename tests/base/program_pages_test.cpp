#include "base/program_pages.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

namespace tapedeck::base {

namespace {

/// Of this process's memory, what is mapped from files, in kB.
std::size_t mapped_from_files() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssFile:")) return std::stoul(line.substr(8));
  }
  throw std::runtime_error("the kernel does not say what is mapped from files");
}

/// Code that stands in a page of its own right, with its tables for exceptions.
int matches(const std::string& text) {
  try {
    if (!std::regex_match(text, std::regex("[a-f]+[0-9]*"))) throw std::runtime_error(text);
    return 1;
  } catch (const std::runtime_error&) {
    return 0;
  }
}

}  // namespace

TEST_CASE("code that is unmapped no longer counts, and runs as before") {
  REQUIRE(matches("abc12") == 1);
  const std::size_t before = mapped_from_files();
  unmap_code();
  const std::size_t after = mapped_from_files();
  CHECK(after < before / 2);
  CHECK(matches("abc12") == 1);
  CHECK(matches("xyz") == 0);
  std::ostringstream text;
  text << before << ' ' << after;
  CHECK(text.str() == std::to_string(before) + " " + std::to_string(after));
}

}  // namespace tapedeck::base
