// tapedeck grep: searches cassettes for a text or a regular expression.

#include <re2/re2.h>

#include <algorithm>
#include <iostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "api/scope_name.h"
#include "cassettes/read/cassette_reader.h"
#include "cli/arguments/values.h"
#include "cli/commands/commands.h"
#include "cli/console/exit_status.h"
#include "cli/console/terminal.h"
#include "cli/console/usage_error.h"
#include "cli/options/selection_options.h"
#include "cli/reports/cassette_text.h"

namespace tapedeck::cli {
namespace {

using cassettes::ListedInteraction;

struct GrepOptions {
  std::string pattern;
  std::vector<std::string> cassettes;
  bool fixed = false, ignore_case = false;
  tools::Selection selection;
  bool json = false;
};

/// A line that contains the pattern.
struct GrepMatch {
  const char* place = "";    ///< "key", "target", "request header", "request body", "response header", "response body"
  std::uint64_t line = 0;    ///< from 1
  std::uint64_t column = 0;  ///< column of the first match, in bytes, from 1
  std::string text;          ///< the line, or the part of a long one around the match
};

/// Of a line that is longer than this, only a part around the match is shown.
constexpr std::size_t longest_line = 200, around = 80;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

std::string shown_line(std::string_view line, std::size_t begin, std::size_t end) {
  if (line.size() <= longest_line) return std::string(line);
  const std::size_t from = begin > around ? begin - around : 0;
  const std::size_t to = std::min(line.size(), std::max(end, begin) + around);
  std::string text = from > 0 ? "…" : "";
  text += line.substr(from, std::min(to - from, 3 * longest_line));
  return to < line.size() ? text + "…" : text;
}

void find_lines(const re2::RE2& expression, const char* place, std::string_view text, std::vector<GrepMatch>& matches) {
  std::uint64_t number = 1;
  std::size_t begin = 0, counted = 0;
  re2::StringPiece found;
  while (begin <= text.size() && expression.Match(piece(text), begin, text.size(), re2::RE2::UNANCHORED, &found, 1)) {
    const auto at = static_cast<std::size_t>(found.data() - text.data());
    number += static_cast<std::uint64_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                    text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    counted = at;
    const std::size_t line_begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
    const std::size_t line_end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(line_begin, line_end - line_begin);
    if (line.ends_with('\r')) line.remove_suffix(1);
    const std::size_t column = at - line_begin;
    matches.push_back({place, number, column + 1, shown_line(line, column, column + found.size())});
    begin = line_end + 1;
  }
}

std::vector<GrepMatch> matches_in(const cassettes::FullInteraction& full, const re2::RE2& expression) {
  const scrubbers::InteractionRecord& record = full.record;
  std::vector<GrepMatch> matches;
  find_lines(expression, "key", full.line.key, matches);
  find_lines(expression, "target", record.request.target, matches);
  find_lines(expression, "request header", record.request.headers.to_text(), matches);
  find_lines(expression, "request body", record.request.body, matches);
  find_lines(expression, "response header", record.response.headers.to_text(), matches);
  find_lines(expression, "response body", record.response.body, matches);
  return matches;
}

void print_matches(const std::string& prefix, const ListedInteraction& line, const std::vector<GrepMatch>& matches) {
  const std::size_t width = terminal_width();
  for (const GrepMatch& match : matches) {
    const std::string text = fmt::format("{}{}  {}  {}:{}: {}", prefix, line.id, printable(line.key), match.place,
                                         match.line, printable(match.text));
    std::cout << (width > 0 ? cut_to(text, width) : text) << '\n';
  }
}

nlohmann::ordered_json json_of(const std::string& cassette, const ListedInteraction& line,
                               const std::vector<GrepMatch>& matches) {
  nlohmann::ordered_json out = {{"cassette", cassette}, {"id", line.id}, {"key", line.key}};
  if (!line.scope.empty()) out["scope"] = api::shown_scope(line.scope);
  out["matches"] = nlohmann::ordered_json::array();
  for (const GrepMatch& match : matches) {
    out["matches"].push_back(
        {{"place", match.place}, {"line", match.line}, {"column", match.column}, {"text", match.text}});
  }
  return out;
}

re2::RE2::Options expression_options(const GrepOptions& options) {
  re2::RE2::Options how;
  how.set_log_errors(false);
  how.set_literal(options.fixed);
  how.set_case_sensitive(!options.ignore_case);
  // Bodies may contain any bytes. UTF-8 text in them is still found.
  how.set_encoding(re2::RE2::Options::EncodingUTF8);
  return how;
}

/// Searches one cassette. Returns true if something matches.
bool search(const std::string& cassette, const GrepOptions& options, const re2::RE2& expression, bool is_first) {
  const cassettes::CassetteReader reader = open_cassette(cassette);
  const std::string prefix = options.cassettes.size() > 1 ? printable(cassette) + ": " : "";
  bool found = false;
  reader.each([&](const cassettes::FullInteraction& full) {
    if (!std::cout.good()) return false;
    const std::vector<GrepMatch> matches =
        options.selection.has(full.line) ? matches_in(full, expression) : std::vector<GrepMatch>();
    if (matches.empty()) return true;
    if (options.json) {
      std::cout << (is_first && !found ? "[\n" : ",\n") << ascii_json(json_of(cassette, full.line, matches));
    } else {
      print_matches(prefix, full.line, matches);
    }
    return found = true;
  });
  return found;
}

int grep(const GrepOptions& options) {
  const re2::RE2 expression(options.pattern, expression_options(options));
  if (!expression.ok()) {
    throw UsageError("invalid regular expression (RE2): " + expression.error(), "`-F` searches for plain text");
  }
  bool found = false;
  for (const std::string& cassette : options.cassettes) found |= search(cassette, options, expression, !found);
  if (options.json) std::cout << (found ? "\n]\n" : "[]\n");
  return found ? fine : run_failed;
}

}  // namespace

void add_grep(Command& program) {
  auto [command, options] = program.command("grep", "Search keys, parameters, headers, and bodies", grep);
  command.argument("PATTERN", into(options.pattern), "Regular expression (RE2 syntax)").required();
  command.argument("CASSETTE ...", into(options.cassettes), "Cassettes to read").required();
  command.flag("-F,--fixed", options.fixed, "Treat PATTERN as plain text");
  command.flag("-i,--ignore-case", options.ignore_case, "Ignore case");
  add_selection_options(command, options.selection);
  command.flag("--json", options.json, "Print a JSON array");
  command.details =
      "Searches the stored text, with placeholders in place of secrets. Prints one line for each match: ID, key, "
      "place, and text. The exit status is 1 if nothing matches.";
  command.examples = {
      {"Find a share name", "tapedeck grep -F photos nas.cassette"},
      {"Find IPv4 addresses in one API", "tapedeck grep --call Core.Network '192\\.0\\.2\\.[0-9]+' nas.cassette"}};
}

}  // namespace tapedeck::cli
