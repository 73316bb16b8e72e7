#pragma once
// TOML files of users (tapedeck.toml): each error has its file and line, and nothing misspelt is passed over.

#include <toml++/toml.h>

#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tapedeck::base {

struct TomlError : std::runtime_error {
  TomlError(std::size_t where, const std::string& what) : std::runtime_error(what), line(where) {}
  std::size_t line;  ///< from 1
};
/// Parses a text. Throws TomlError if it is not TOML, and before parsing if it is nested too deep: the library recurses
/// once for each level, and so does code that reads the result. Nothing else calls the library's parser.
[[nodiscard]] toml::table parse_toml(std::string_view text);

/// A file as one table.
class TomlFile {
 public:
  /// All tables that a tapedeck.toml may have. Each reader takes its own, but a command must say what is misspelt in
  /// the others' names.
  static constexpr std::array<std::string_view, 3> config_tables = {"private", "replay", "scrub"};

  /// Throws std::invalid_argument ("FILE: cannot be read"), and as parse() does.
  [[nodiscard]] static TomlFile read(const std::string& path, std::span<const std::string_view> known = config_tables);
  /// `name` is for messages. Throws std::invalid_argument ("NAME:LINE: …") for what is no TOML, and for whatever stands
  /// at the top and is not known.
  [[nodiscard]] static TomlFile parse(std::string_view text, std::string_view name,
                                      std::span<const std::string_view> known = config_tables);

  /// A table of the file, or null where it does not have it. Throws when the name is taken by something else.
  [[nodiscard]] const toml::table* table(std::string_view name) const;
  /// The tables of `[[table.key]]`, which `node` is the value of. Throws when it is something else.
  [[nodiscard]] std::vector<const toml::table*> tables(std::string_view name, const toml::node& node) const;

  /// The value of `key`. Throw when it is of another type.
  [[nodiscard]] std::string text(std::string_view key, const toml::node& node) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key, const toml::node& node) const;
  [[nodiscard]] bool flag(std::string_view key, const toml::node& node) const;

  /// Throws std::invalid_argument.
  [[noreturn]] void fail(const toml::source_region& where, const std::string& message) const;
  [[noreturn]] void unknown_key(const toml::key& key, std::string_view place, std::string_view known) const;

 private:
  explicit TomlFile(std::string_view name) : name_(name) {}

  std::string name_;
  toml::table document_;
};

}  // namespace tapedeck::base
