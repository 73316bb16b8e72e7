#include "replay/rules/toml_text.h"

#include <algorithm>

#include "api/json_spans.h"
#include "base/text.h"
#include "base/utf8.h"

namespace tapedeck::replay {

std::string toml_string(std::string_view json_string) {
  std::string text;
  for (std::size_t at = 0; at < json_string.size(); ++at) {
    const char c = json_string[at];
    if (c == '\\' && at + 1 < json_string.size()) {
      const char next = json_string[++at];
      if (next != '/') text += c;
      text += next;
    } else {
      text += c == '\x7f' ? std::string("\\u007f") : std::string(1, c);
    }
  }
  return base::printable_json(std::move(text));
}

std::string toml_text(std::string_view text) { return toml_string(api::json_quoted(text)); }

std::string toml_key(std::string_view name) {
  const bool is_bare = !name.empty() && std::all_of(name.begin(), name.end(),
                                                    [](char c) { return base::is_alnum(c) || c == '_' || c == '-'; });
  return is_bare ? std::string(name) : toml_text(name);
}

std::string toml_lines(std::string_view text) {
  const bool is_plain = text.find("'''") == std::string_view::npos && !text.ends_with('\'') &&
                        !text.starts_with('\n') && base::printable(text, true) == text;
  return is_plain ? "'''" + std::string(text) + "'''" : toml_text(text);
}

}  // namespace tapedeck::replay
