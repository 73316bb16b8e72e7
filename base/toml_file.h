#pragma once
// Reads the TOML files of users (tapedeck.toml). Errors have file and line, and unknown names are errors.

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
/// Parses a text. Throws TomlError if it is not valid TOML. Throws before parsing if it is nested too deeply, because
/// the library and the callers recurse for each level. Nothing else calls the library's parser.
[[nodiscard]] toml::table parse_toml(std::string_view text);

/// A TOML file as one table.
class TomlFile {
 public:
  /// All tables of a tapedeck.toml. Each reader reads only its own table, but a command must also report wrong names in
  /// the others.
  static constexpr std::array<std::string_view, 3> config_tables = {"private", "replay", "scrub"};

  /// Throws std::invalid_argument ("FILE: cannot be read"), and for the same reasons as parse().
  [[nodiscard]] static TomlFile read(const std::string& path, std::span<const std::string_view> known = config_tables);
  /// Throws std::invalid_argument ("NAME:LINE: …") for invalid TOML and for unknown names at the top level. `name`
  /// appears in messages.
  [[nodiscard]] static TomlFile parse(std::string_view text, std::string_view name,
                                      std::span<const std::string_view> known = config_tables);

  /// Returns a table of the file, or null. Throws if it is not a table.
  [[nodiscard]] const toml::table* table(std::string_view name) const;
  /// Returns the tables of `[[table.key]]`. `node` is the value of the key. Throws if it is anything else.
  [[nodiscard]] std::vector<const toml::table*> tables(std::string_view name, const toml::node& node) const;

  /// Return the value of `key`. Throw if it has another type.
  [[nodiscard]] std::string text(std::string_view key, const toml::node& node) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view key, const toml::node& node) const;
  [[nodiscard]] bool flag(std::string_view key, const toml::node& node) const;

  /// Throws std::invalid_argument with the place of `source`.
  [[noreturn]] void fail(const toml::source_region& where, const std::string& message) const;
  [[noreturn]] void unknown_key(const toml::key& key, std::string_view place, std::string_view known) const;

 private:
  explicit TomlFile(std::string_view name) : name_(name) {}

  std::string name_;
  toml::table document_;
};

}  // namespace tapedeck::base
