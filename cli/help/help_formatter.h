#pragma once
// How --help looks: plain value names, defaults as people write them, wrapped to the terminal.

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>

namespace tapedeck::cli {

class HelpFormatter : public CLI::Formatter {
 public:
  /// `width` in columns; less than 60 counts as 60.
  explicit HelpFormatter(std::size_t width);

  [[nodiscard]] std::string make_help(const CLI::App* command, std::string name,
                                      CLI::AppFormatMode mode) const override;
  [[nodiscard]] std::string make_option(const CLI::Option* option, bool is_positional) const override;
  [[nodiscard]] std::string make_subcommand(const CLI::App* command) const override;
  [[nodiscard]] std::string make_description(const CLI::App* command) const override;
  [[nodiscard]] std::string make_usage(const CLI::App* command, std::string name) const override;
  [[nodiscard]] std::string make_footer(const CLI::App* command) const override;

 private:
  [[nodiscard]] std::string option_groups(const CLI::App& command) const;
  [[nodiscard]] std::string row(const std::string& name, const std::string& text) const;

  std::size_t width_;
};

/// "--head-limit SIZE", "-h,--help", "CASSETTE ...".
[[nodiscard]] std::string option_name(const CLI::Option& option, bool is_positional);
/// What an option is for, whether it may be given again, what it cannot stand beside, and its default: "… [64 KiB]".
[[nodiscard]] std::string option_text(const CLI::Option& option, bool with_default = true);
/// Broken at spaces, so that no line is longer than `width` but for a longer word; each further line is indented.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t width);

}  // namespace tapedeck::cli
