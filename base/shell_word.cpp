#include "base/shell_word.h"

namespace tapedeck::base {

std::string within_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}

std::string shell_quoted(std::string_view text) { return "'" + within_quotes(text) + "'"; }

}  // namespace tapedeck::base
