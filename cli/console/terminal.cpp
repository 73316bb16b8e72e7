#include "cli/console/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include <fmt/compile.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/utf8.h"

namespace tapedeck::cli {
namespace {

/// Returns the width in columns of text that went through printable(): one for each character.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

struct Column {
  std::size_t width = 0;
  bool is_number = true;  ///< all cells are numbers, which are aligned to the right
  bool is_shown = true;
};

/// Hides columns in the order of `spare` until a line fits.
void hide_spare(std::vector<Column>& columns, const std::vector<std::string>& heading,
                const std::vector<std::string>& spare, std::size_t limit) {
  std::size_t width = 2 * (columns.size() - 1);
  for (const Column& column : columns) width += column.width;
  for (const std::string& title : spare) {
    if (limit == 0 || width <= limit) return;
    Column& column =
        columns.at(static_cast<std::size_t>(std::find(heading.begin(), heading.end(), title) - heading.begin()));
    column.is_shown = false;
    width -= column.width + 2;
  }
}

/// Returns true for "12" and "1.8 kB", and false for dates and names.
bool is_number(std::string_view text) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
  return end > 0 && (end == text.size() || text[end] == ' ');
}

void print_row(const std::vector<std::string>& row, const std::vector<Column>& columns, std::size_t limit) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!columns[i].is_shown) continue;
    const std::string space(columns[i].width - width_of(row[i]), ' ');
    if (columns[i].is_number) line += space;
    line += row[i];
    if (i + 1 == row.size()) break;
    if (!columns[i].is_number) line += space;
    line += "  ";
  }
  std::cout << (limit > 0 ? cut_to(line, limit) : line) << '\n';
}

}  // namespace

void print_table(const std::vector<std::string>& heading, const std::vector<std::vector<std::string>>& rows,
                 const std::vector<std::string>& spare) {
  std::vector<Column> columns;
  for (const std::string& title : heading) columns.push_back({width_of(title), !rows.empty()});
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      columns[i].width = std::max(columns[i].width, width_of(row[i]));
      columns[i].is_number = columns[i].is_number && is_number(row[i]);
    }
  }
  const std::size_t limit = terminal_width();
  hide_spare(columns, heading, spare, limit);
  print_row(heading, columns, limit);
  for (const auto& row : rows) print_row(row, columns, limit);
}

std::string ascii_json(const nlohmann::ordered_json& json, int indent) {
  return json.dump(indent, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
}

std::string readable_json(const nlohmann::ordered_json& json, int indent) {
  return base::printable_json(json.dump(indent, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

void print_json(const nlohmann::ordered_json& json) { std::cout << ascii_json(json, 2) << std::endl; }

std::string cut_to(std::string text, std::size_t width) {
  if (width_of(text) <= width) return text;
  std::size_t end = 0;
  for (std::size_t columns = 0; columns + 1 < width && end < text.size(); ++columns) {
    do ++end;
    while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80);
  }
  return text.substr(0, end) + "…";
}

bool stdout_is_terminal() { return isatty(STDOUT_FILENO) == 1; }

bool stderr_is_terminal() {
  static const bool is_terminal = isatty(STDERR_FILENO) == 1;  // cached, because each log line needs it
  return is_terminal;
}

std::size_t terminal_width() {
  winsize size{};
  if (!stdout_is_terminal() || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
  return size.ws_col;
}

std::string one_decimal(std::int64_t thousandths) {
  return fmt::format("{:.1f}", static_cast<double>(thousandths) / 1000);
}

std::string human_bytes(std::uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " B";
  double value = static_cast<double>(bytes) / 1000;
  for (const char* unit : {"kB", "MB", "GB"}) {
    if (value < 1000) return fmt::format("{:.1f} {}", value, unit);
    value /= 1000;
  }
  return fmt::format("{:.1f} TB", value);
}

namespace {

ColorUse color_use = ColorUse::automatic;

bool colors_are_wanted(bool is_terminal) {
  if (color_use != ColorUse::automatic) return color_use == ColorUse::always;
  if (!is_terminal) return false;
  const char* const no = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  return (no == nullptr || *no == '\0') && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

}  // namespace

void use_color(ColorUse when) { color_use = when; }

bool stdout_takes_color() { return colors_are_wanted(stdout_is_terminal()); }
bool stderr_takes_color() { return colors_are_wanted(stderr_is_terminal()); }

std::string painted(std::string_view text, Paint how, bool takes_color) {
  return takes_color ? fmt::format("\x1b[{}m{}\x1b[0m", static_cast<int>(how), text) : std::string(text);
}

Paint paint_of(int status, int error_code) {
  if (status == 0 || status >= 400 || error_code != 0) return Paint::bad;
  return status >= 300 ? Paint::faint : Paint::good;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return fmt::format(FMT_COMPILE("{} {}{}"), count, noun, count == 1 ? "" : "s");
}

}  // namespace tapedeck::cli
