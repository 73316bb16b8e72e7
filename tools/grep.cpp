#include "tools/grep.h"

#include <re2/re2.h>

#include <algorithm>
#include <set>
#include <stdexcept>
#include <tuple>

#include "cassettes/read/text_search.h"

namespace tapedeck::tools {
namespace {

using cassettes::StoredText;

/// Of a line that is longer than this, only a part around the match is shown.
constexpr std::size_t longest_line = 200, around = 80;

re2::StringPiece piece(std::string_view text) { return {text.data(), text.size()}; }

/// The texts that have a match.
using Hits = std::set<StoredText>;

bool has_any(const Hits& hits, const cassettes::TextsOf& texts) {
  return hits.contains(texts.key) || hits.contains(texts.target) || hits.contains(texts.request_headers) ||
         hits.contains(texts.request_body) || hits.contains(texts.answer_headers) || hits.contains(texts.answer_body);
}

Hits search(const cassettes::CassetteReader& cassette, const re2::RE2& expression) {
  Hits hits;
  cassettes::each_text(cassette, [&](const StoredText& place, std::string_view text) {
    if (re2::RE2::PartialMatch(piece(text), expression)) hits.insert(place);
  });
  return hits;
}

std::string shown(std::string_view line, std::size_t begin, std::size_t end) {
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
    matches.push_back({place, number, column + 1, shown(line, column, column + found.size())});
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

}  // namespace

void grep(const cassettes::CassetteReader& cassette, const GrepOptions& options, const Selection& selection,
          const std::function<bool(const GrepHit&)>& visit) {
  re2::RE2::Options how;
  how.set_log_errors(false);
  how.set_literal(options.fixed);
  how.set_case_sensitive(!options.ignore_case);
  // Bodies may contain any bytes. UTF-8 text in them is still found.
  how.set_encoding(re2::RE2::Options::EncodingUTF8);
  const re2::RE2 expression(options.pattern, how);
  if (!expression.ok()) throw std::invalid_argument(expression.error());
  const Hits hits = search(cassette, expression);
  std::vector<std::int64_t> rows;
  cassettes::each_texts_of(cassette, [&](const cassettes::TextsOf& texts) {
    if (has_any(hits, texts)) rows.push_back(texts.interaction);
  });
  struct Found {
    std::string scope, key;
    std::uint32_t take, lane, position;
    std::int64_t row;
  };
  std::vector<Found> found;
  for (const std::int64_t row : rows) {
    const cassettes::ListedInteraction line = cassettes::interaction_at(cassette, row).line;
    if (selection.has(line)) found.push_back({line.scope, line.key, line.take, line.lane, line.position, row});
  }
  const auto place = [](const Found& one) { return std::tie(one.scope, one.key, one.take, one.lane, one.position); };
  std::sort(found.begin(), found.end(), [&](const Found& a, const Found& b) { return place(a) < place(b); });
  for (const Found& one : found) {
    const cassettes::FullInteraction full = cassettes::interaction_at(cassette, one.row);
    GrepHit hit{full.line, matches_in(full, expression)};
    // A text of several lines may match only as a whole, so no line matches.
    if (!hit.matches.empty() && !visit(hit)) return;
  }
}

}  // namespace tapedeck::tools
