#include "base/shell_word.h"

namespace tapedeck::base {

std::string within_quotes(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out;
}

std::string shell_quoted(std::string_view text) { return "'" + within_quotes(text) + "'"; }

std::string shell_word(std::string_view text) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  const bool is_plain = !text.empty() && text.find_first_not_of(plain) == std::string_view::npos;
  return is_plain ? std::string(text) : shell_quoted(text);
}

}  // namespace tapedeck::base
