#include "scrubbers/search/whole_values.h"

#include <algorithm>

#include "base/text.h"
#include "scrubbers/redaction/redaction.h"
#include "scrubbers/rules/plain_values.h"
#include "scrubbers/search/credential.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

constexpr std::size_t most_short = 64;
constexpr std::size_t longest = 256;

/// Returns the encoding if it changes the value.
Encoding unless_same(Form form, std::string_view value, std::string_view encoded) {
  return value == encoded ? Encoding() : Encoding{{form}};
}

}  // namespace

bool is_whole_secret(std::string_view value) {
  constexpr std::size_t shortest = 4;
  constexpr std::size_t shortest_number = 6;
  if (value.size() < shortest || value.size() > longest) return false;
  const bool digits = std::all_of(value.begin(), value.end(), base::is_digit);
  if (digits && value.size() < shortest_number) return false;
  // Names that every device has.
  static constexpr std::string_view common[] = {"admin",  "public", "private", "guest",   "root",  "user",  "users",
                                                "group",  "groups", "home",    "homes",   "share", "local", "everyone",
                                                "system", "volume", "volume1", "network", "web",   "test",  "nobody"};
  const std::string folded = base::fold(value);
  if (std::find(std::begin(common), std::end(common), folded) != std::end(common)) return false;
  return !is_plain_word(value) && !is_plain_value(Values::phrase, {}, value);
}

void WholeValues::add_needle(std::uint32_t number, std::string_view before, std::string_view value,
                             std::string_view behind, Around around, Encoding encoding) {
  std::string bytes = std::string(before) + std::string(value) + std::string(behind);
  const auto id = static_cast<std::uint32_t>(needles_.size());
  const bool is_short = bytes.size() < LiteralIndex::shortest;
  if (is_short && short_.size() >= most_short) return;
  needles_.push_back({arena_->keep(bytes), number, before.size(), behind.size(), around, std::move(encoding)});
  explicit_bzero(bytes.data(), bytes.size());
  if (is_short) {
    short_.push_back(id);
    return;
  }
  index_.add(needles_.back().bytes, id);
}

void WholeValues::add(std::uint32_t number, std::string_view value) {
  if (values_ == most) return;
  ++values_;
  alone_.emplace_back(number, value);
  const std::string json = encode(value, {{Form::json}});
  const std::string json_twice = encode(json, {{Form::json}});
  const std::string percent = encode(value, {{Form::percent}});
  const std::string percent_json = encode(json, {{Form::percent}});
  const std::string html = encode(value, {{Form::html}});
  const Encoding in_json = unless_same(Form::json, value, json);
  add_needle(number, "\"", json, "\"", Around::quotes, in_json);
  add_needle(number, "\\\"", json_twice, "\\\"", Around::escaped_quotes,
             nested(unless_same(Form::json, json, json_twice), in_json));
  add_needle(number, "%22", percent_json, "%22", Around::percent_quotes,
             nested(unless_same(Form::percent, json, percent_json), in_json));
  add_needle(number, "=", value, "", Around::parameter, {});
  if (percent != value) add_needle(number, "=", percent, "", Around::parameter, {{Form::percent}});
  add_needle(number, ">", html, "<", Around::tag, unless_same(Form::html, value, html));
}

bool WholeValues::is_whole(std::string_view text, std::size_t at, const Needle& needle) {
  std::size_t next = at + needle.bytes.size();
  switch (needle.around) {
    case Around::tag:
      return true;
    case Around::parameter:
      return next == text.size() || std::string_view("&;#\"' \t\r\n<>\\").find(text[next]) != std::string_view::npos;
    case Around::quotes:
      if (at > 0 && text[at - 1] == '\\') return false;
      break;
    case Around::escaped_quotes:
    case Around::percent_quotes:
      break;
  }
  while (next < text.size() && (text[next] == ' ' || text[next] == '\t' || text[next] == '\n' || text[next] == '\r')) {
    ++next;
  }
  const std::string_view rest = text.substr(std::min(next, text.size()), 3);
  return !rest.starts_with(':') && rest != "%3A" && rest != "%3a";
}

void WholeValues::take(std::string_view text, std::size_t at, const Needle& needle, SearchHits& hits) const {
  if (!is_whole(text, at, needle)) return;
  const std::size_t end = at + needle.bytes.size() - needle.behind;
  hits.add({at + needle.before, end, needle.number, needle.encoding});
}

void WholeValues::search(std::string_view text, SearchHits& hits) const {
  if (values_ == 0) return;
  for (const auto& [number, value] : alone_) {
    if (text == value) hits.add({0, text.size(), number, {}});
  }
  index_.search(text, [&](std::size_t at, std::uint32_t id) { take(text, at, needles_[id], hits); });
  for (const std::uint32_t id : short_) {
    const Needle& needle = needles_[id];
    for (std::size_t at = text.find(needle.bytes); at != std::string_view::npos; at = text.find(needle.bytes, at + 1)) {
      take(text, at, needle, hits);
    }
  }
}

}  // namespace tapedeck::scrubbers
