#include "base/toml_file.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "base/descriptor.h"
#include "base/utf8.h"

namespace tapedeck::base {
namespace {

/// The maximum depth of tables and lists. Each part of a dotted name is a table. A header and the values below it count
/// separately.
constexpr std::size_t deepest = 128;

std::string quoted(std::string_view word) { return "`" + std::string(word) + "`"; }

/// Returns the end of the string whose opening quote is at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool is_long = text.substr(at).starts_with(three);
  for (at += is_long ? 3 : 1; at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (is_long ? text.substr(at).starts_with(three) : text[at] == quote || text[at] == '\n') {
      break;
    }
  }
  at += is_long ? 3 : 1;
  for (int more = 0; is_long && more < 2 && at < text.size() && text[at] == quote; ++more) ++at;
  return std::min(at, text.size());
}

/// Returns the position where a text is nested deeper than `deepest`, or its size. Ignores strings and comments.
std::size_t end_of_shallow(std::string_view text) {
  std::vector<std::size_t> open;  // for each open bracket, the number of levels that the dotted name before it adds
  std::size_t depth = 0, dots = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = end_of_string(text, at) - 1;
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size()) - 1;
    } else if (c == '[' || c == '{') {
      open.push_back(dots);
      depth += dots + 1;
      dots = 0;
    } else if ((c == ']' || c == '}') && !open.empty()) {
      dots = open.back();
      depth -= dots + 1;
      open.pop_back();
    } else if (c == ',' || (c == '\n' && open.empty())) {
      dots = 0;
    } else if (c == '.') {
      ++dots;
    }
    if (depth + dots > deepest) return at;
  }
  return text.size();
}

}  // namespace

toml::table parse_toml(std::string_view text) {
  if (const std::size_t end = end_of_shallow(text); end < text.size()) {
    const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    throw TomlError(static_cast<std::size_t>(lines) + 1,
                    "tables and lists are nested more than " + std::to_string(deepest) + " deep");
  }
  try {
    return toml::parse(text);
  } catch (const toml::parse_error& error) {
    // The message quotes input, which may be a line break.
    throw TomlError(error.source().begin.line, printable(error.description()));
  }
}

TomlFile TomlFile::read(const std::string& path, std::span<const std::string_view> known) {
  // A folder can be opened like a file, so it is checked first.
  if (std::error_code ignored; std::filesystem::is_directory(path, ignored)) {
    throw std::invalid_argument(path + ": cannot read: this is a folder");
  }
  const auto text = read_file(path);
  if (!text) throw std::invalid_argument(path + ": cannot read the file");
  return parse(*text, path, known);
}

TomlFile TomlFile::parse(std::string_view text, std::string_view name, std::span<const std::string_view> known) {
  TomlFile file(name);
  try {
    file.document_ = parse_toml(text);
  } catch (const TomlError& error) {
    throw std::invalid_argument(file.name_ + ":" + std::to_string(error.line) + ": " + error.what());
  }
  for (const auto& [key, unused] : file.document_) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    std::string names;
    for (const std::string_view one : known) names += (names.empty() ? "" : ", ") + std::string(one);
    file.unknown_key(key, "the file", names);
  }
  return file;
}

const toml::table* TomlFile::table(std::string_view name) const {
  const toml::node* const node = document_.get(name);
  if (node != nullptr && !node->is_table()) fail(node->source(), quoted(name) + " must be a table");
  return node == nullptr ? nullptr : node->as_table();
}

std::vector<const toml::table*> TomlFile::tables(std::string_view name, const toml::node& node) const {
  const toml::array* const all = node.as_array();
  const auto is_table = [](const toml::node& one) { return one.is_table(); };
  if (all == nullptr || !std::all_of(all->begin(), all->end(), is_table)) {
    fail(node.source(), "must be written as [[" + std::string(name) + "]]");
  }
  std::vector<const toml::table*> found;
  for (const toml::node& one : *all) found.push_back(one.as_table());
  return found;
}

std::string TomlFile::text(std::string_view key, const toml::node& node) const {
  const auto value = node.value_exact<std::string>();
  if (!value) fail(node.source(), quoted(key) + " must be a string in quotes");
  return *value;
}

std::vector<std::string> TomlFile::texts(std::string_view key, const toml::node& node) const {
  const toml::array* const list = node.as_array();
  if (list == nullptr) fail(node.source(), quoted(key) + " must be a list of strings");
  std::vector<std::string> found;
  for (const toml::node& one : *list) found.push_back(text(key, one));
  return found;
}

bool TomlFile::flag(std::string_view key, const toml::node& node) const {
  const auto value = node.value_exact<bool>();
  if (!value) fail(node.source(), quoted(key) + " must be true or false");
  return *value;
}

void TomlFile::fail(const toml::source_region& where, const std::string& message) const {
  throw std::invalid_argument(name_ + ":" + std::to_string(where.begin.line) + ": " + message);
}

void TomlFile::unknown_key(const toml::key& key, std::string_view place, std::string_view known) const {
  fail(key.source(),
       "unknown key " + quoted(key.str()) + " in " + std::string(place) + "; known keys: " + std::string(known));
}

}  // namespace tapedeck::base
