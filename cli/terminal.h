#pragma once
// What goes to a terminal: never a control character that came from a cassette, a client or a device.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.h"

namespace tapedeck::cli {

using base::printable;

/// Text that went through printable(), cut to so many columns with an ellipsis.
[[nodiscard]] std::string cut_to(std::string text, std::size_t width);

/// Writes rows as a table whose columns are as wide as they must be, numbers on the right. On a terminal that is too
/// narrow the columns with the headings `spare` are left out, in this order, until the lines fit; then lines are cut.
void print_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows,
                 const std::vector<std::string>& spare = {});

[[nodiscard]] bool stdout_is_terminal();
[[nodiscard]] bool stderr_is_terminal();
/// Columns of standard output's terminal, or 0.
[[nodiscard]] std::size_t terminal_width();

/// A thousandth of it with one decimal.
[[nodiscard]] std::string one_decimal(std::int64_t thousandths);
/// "1.4 kB", "312 B", "2.0 MB".
[[nodiscard]] std::string human_bytes(std::uint64_t bytes);

/// The codes of colors that every terminal has, so that light and dark backgrounds both work.
enum class Paint { faint = 2, bad = 31, good = 32, warning = 33 };

/// Do they take colours: terminals, without NO_COLOR, and none that is dumb?
[[nodiscard]] bool stdout_takes_colour();
[[nodiscard]] bool stderr_takes_colour();
/// `text` as it is where `takes_colour` is false.
[[nodiscard]] std::string painted(std::string_view text, Paint how, bool takes_colour);
/// What an answer's status is painted in: refusals and errors, of HTTP or in the envelope, are bad.
[[nodiscard]] Paint paint_of(int status, int error_code);

/// "1 interaction", "2 interactions".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

}  // namespace tapedeck::cli
