#include "base/toml_file.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "base/descriptor.h"

namespace tapedeck::base {
namespace {

std::string quoted(std::string_view word) { return "`" + std::string(word) + "`"; }

}  // namespace

TomlFile TomlFile::read(const std::string& path, std::span<const std::string_view> known) {
  // A folder can be opened, and has no bytes.
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
    file.document_ = toml::parse(text);
  } catch (const toml::parse_error& error) {
    file.fail(error.source(), std::string(error.description()));
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
