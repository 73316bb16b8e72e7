#include "cli/paint.h"

#include <cstdlib>
#include <cstring>

#include <fmt/compile.h>
#include <fmt/format.h>

#include "cli/terminal.h"

namespace tapedeck::cli {
namespace {

bool colours_are_wanted() {
  const char* const no = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  return (no == nullptr || *no == '\0') && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

/// Of the sixteen that every terminal has, so that light and dark grounds both work.
int code_of(Paint how) {
  switch (how) {
    case Paint::good:
      return 32;
    case Paint::warning:
      return 33;
    case Paint::bad:
      return 31;
    case Paint::faint:
      break;
  }
  return 2;
}

}  // namespace

bool stdout_takes_colour() { return stdout_is_terminal() && colours_are_wanted(); }
bool stderr_takes_colour() { return stderr_is_terminal() && colours_are_wanted(); }

std::string painted(std::string_view text, Paint how, bool takes_colour) {
  return takes_colour ? fmt::format("\x1b[{}m{}\x1b[0m", code_of(how), text) : std::string(text);
}

Paint paint_of(int status, int error_code) {
  if (status == 0 || status >= 400 || error_code != 0) return Paint::bad;
  return status >= 300 ? Paint::faint : Paint::good;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format(FMT_COMPILE("{} {}{}"), count, noun, count == 1 ? "" : "s");
}

}  // namespace tapedeck::cli
