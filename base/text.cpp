#include "base/text.h"

namespace tapedeck::base {

std::string fold(std::string_view text) {
  std::string folded(text);
  for (char& c : folded) c = fold(c);
  return folded;
}

bool same_letters(const char* a, const char* b, std::size_t size) {
  return std::equal(a, a + size, b, [](char x, char y) { return x == y || fold(x) == fold(y); });
}

std::string_view trim(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

bool is_hex(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return is_hex(c); });
}

}  // namespace tapedeck::base
