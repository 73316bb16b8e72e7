#pragma once
// Prints to a terminal. Removes control characters that came from a cassette, a client, or a device.

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"

namespace tapedeck::cli {

using base::printable;

/// Cuts text that went through printable() to `width` columns and adds an ellipsis.
[[nodiscard]] std::string cut_to(std::string text, std::size_t width);

/// Prints rows as a table whose columns fit their content, with numbers aligned to the right. On a narrow terminal,
/// hides the columns whose headings are in `spare`, in this order, until the lines fit, and then cuts the lines.
void print_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows,
                 const std::vector<std::string>& spare = {});

/// Returns JSON in ASCII, on one line unless `indent` is given. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string ascii_json(const nlohmann::ordered_json& json, int indent = -1);
/// Does the same without escaping readable characters of other alphabets.
[[nodiscard]] std::string readable_json(const nlohmann::ordered_json& json, int indent = -1);
/// Prints indented JSON and a line feed on standard output.
void print_json(const nlohmann::ordered_json& json);

[[nodiscard]] bool stdout_is_terminal();
[[nodiscard]] bool stderr_is_terminal();
/// Returns the width of the terminal on standard output in columns, or 0.
[[nodiscard]] std::size_t terminal_width();

/// Formats a number of thousandths with one decimal.
[[nodiscard]] std::string one_decimal(std::int64_t thousandths);
/// Formats a size, such as "1.4 kB", "312 B", or "2.0 MB".
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

/// Colors that are available on every terminal and readable on light and dark backgrounds. The values are the ANSI
/// codes.
enum class Paint { faint = 2, bad = 31, good = 32, warning = 33 };

enum class ColorUse { automatic, always, never };
/// Sets when output has colors. Call it before anything is printed.
void use_color(ColorUse when);
/// Returns true if the stream gets colors: always, never, or if it is a terminal that supports color and NO_COLOR is
/// not set.
[[nodiscard]] bool stdout_takes_color();
[[nodiscard]] bool stderr_takes_color();
/// Adds color codes to `text` if `takes_color` is true.
[[nodiscard]] std::string painted(std::string_view text, Paint how, bool takes_color);
/// Returns the color of a response's status. HTTP errors and envelope errors are bad.
[[nodiscard]] Paint paint_of(int status, int error_code);

/// Returns a count with its noun, such as "1 interaction" or "2 interactions".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace tapedeck::cli
