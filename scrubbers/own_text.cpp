#include "scrubbers/own_text.h"

#include <algorithm>
#include <array>
#include <optional>

#include "api/request_key.h"
#include "base/text.h"
#include "http/message/urlencoded.h"
#include "scrubbers/redaction/replace.h"
#include "scrubbers/search/credential.h"
#include "scrubbers/text/codec.h"

namespace tapedeck::scrubbers {
namespace {

/// Returns the call that a request's key names, such as "SVC.Core.Share/1/list?…". Returns nothing for a compound,
/// whose parts may belong to any API.
std::optional<api::RequestKey> call_of_key(std::string_view text) {
  api::RequestKey key = api::RequestKey::parse(text.substr(0, text.find('?')));
  const bool has_version = !key.version.empty() && std::all_of(key.version.begin(), key.version.end(), base::is_digit);
  const bool is_compound =
      base::equal_no_case(key.api.full(), "Entry.Request") || base::equal_no_case(key.api.rest, "Entry.Request");
  return key.is_call && has_version && !is_compound ? std::optional(std::move(key)) : std::nullopt;
}

bool is_of(const ScrubRule& rule, const api::RequestKey& key) {
  return covers(rule, key.api.full(), key.method) || covers(rule, key.api.rest, key.method);
}

/// Returns a find whose value is its class, because these texts need no more than the placeholder.
Spot spot_at(std::size_t begin, std::size_t end, SecretClass secret_class) {
  return {begin, end, static_cast<std::uint32_t>(secret_class), {}, {}, false, false};
}
SecretClass class_of(const Spot& spot) { return static_cast<SecretClass>(spot.value); }

// Finds `name=value` anywhere in a text. The name is the longest text before '=' that looks like a name; the value ends
// at the next separator.
void add_parameters(std::string_view text, const CompiledRules& rules, std::vector<Spot>& spots) {
  constexpr std::string_view separators = "& \t\r\n\"'<>;,)";
  const std::optional<api::RequestKey> call = call_of_key(text);
  for (std::size_t equals = text.find('='); equals != std::string_view::npos; equals = text.find('=', equals + 1)) {
    std::size_t begin = equals;
    const auto is_name = [](char c) { return c == '_' || c == '-' || base::is_alnum(c); };
    while (begin > 0 && is_name(text[begin - 1])) --begin;
    const std::size_t end = std::min(text.find_first_of(separators, equals + 1), text.size());
    const std::string_view name = text.substr(begin, equals - begin);
    const auto indices = rules.parameters().find(name);
    const auto exactly = std::find_if(indices.begin(), indices.end(),
                                      [&](std::size_t index) { return !call || is_of(rules.rule(index), *call); });
    const auto by_ending = exactly == indices.end() ? rules.name(name, CallContext()) : std::nullopt;
    if ((exactly == indices.end() && !by_ending) || end == equals + 1) continue;
    const std::size_t rule = by_ending ? by_ending->rule : *exactly;
    if (by_ending && rules.is_plain(*by_ending, text.substr(equals + 1, end - equals - 1))) continue;
    Spot spot = spot_at(equals + 1, end, rules.rule(rule).secret_class);
    spot.named = true;
    spots.push_back(std::move(spot));
  }
}

/// Splits the text into words at the separators of keys, paths, queries, and JSON. Replaces each word that is one of
/// the secrets that are only searched for as whole values.
void add_words(std::string_view text, const LearnedSecrets& learned, std::vector<Spot>& spots) {
  static constexpr auto is_mark = [] {
    std::array<bool, 256> marks{};  // a table, because each byte of each line is looked up
    for (const char c : std::string_view("/?&=#;, \t\r\n\"'<>\\{}[]()")) marks[static_cast<unsigned char>(c)] = true;
    return marks;
  }();
  if (learned.searched() == 0) return;
  const auto next = [text](std::size_t at, bool wanted) {
    while (at < text.size() && is_mark[static_cast<unsigned char>(text[at])] != wanted) ++at;
    return at;
  };
  // The words as quoted JSON strings, which are whole values.
  std::string quoted;
  std::vector<std::pair<std::size_t, http::Span>> words;  // with their ends in `quoted`
  constexpr std::size_t few_words = 16;
  quoted.reserve(text.size() + 3 * few_words);
  words.reserve(few_words);
  for (std::size_t at = next(0, false), end = 0; at < text.size(); at = next(end, false)) {
    end = next(at, true);
    // as at the end of a prefix in an error message
    if (text[end - 1] == ':' && end - at > 1) --end;
    const std::string_view word = text.substr(at, end - at);
    const bool is_plain = std::all_of(word.begin(), word.end(), [](char c) { return base::is_alnum(c) || c == '.'; });
    quoted += '"';
    if (is_plain) {  // most words of a log line
      quoted.append(word);
    } else {
      quoted.append(encode(http::percent_decode(word, false), {{Form::json}}));
    }
    quoted.append("\" ");
    words.push_back({quoted.size(), {at, end - at}});
  }
  SearchHits hits;
  learned.search().search(quoted, hits);
  for (const SearchHit& hit : hits.take()) {
    if (hit.reach != Reach::whole) continue;  // add_searched() finds it
    const auto word = std::find_if(words.begin(), words.end(), [&](const auto& one) { return one.first > hit.begin; });
    if (word == words.end()) continue;
    spots.push_back(
        spot_at(word->second.offset, word->second.offset + word->second.length, learned.class_of(hit.value)));
  }
}

/// Adds the places of values that are searched for everywhere, and of unconfirmed ones.
void add_searched(std::string_view text, const LearnedSecrets& learned, std::vector<Spot>& spots) {
  for (const SearchHit& hit : learned.search().search(text)) {
    spots.push_back(spot_at(hit.begin, hit.end, learned.class_of(hit.value)));
  }
  for (const LearnedSecrets::Id id : learned.unconfirmed()) {
    const std::string_view value = learned.value_of(id);
    for (std::size_t at = text.find(value); at != std::string_view::npos; at = text.find(value, at + value.size())) {
      spots.push_back(spot_at(at, at + value.size(), learned.class_of(id)));
    }
  }
}

/// Keys and scopes escape some bytes once more than their request did, so what they contain is searched for without
/// these escapes, too.
void add_escaped(std::string_view text, const LearnedSecrets& learned, std::vector<Spot>& spots) {
  View plain;
  if (!decode_view(Codec::percent, text, plain)) return;
  const std::size_t before = spots.size();
  add_searched(plain.text, learned, spots);
  for (std::size_t i = before; i < spots.size(); ++i) {
    spots[i].begin = plain.map.raw_begin(spots[i].begin);
    spots[i].end = plain.map.raw_end(spots[i].end);
  }
}

constexpr std::string_view hidden = "\xE2\x80\xA6";

/// Returns false for placeholders and for values that cannot be secrets.
bool may_be_secret(std::string_view escaped) {
  if (escaped.find('<') != std::string_view::npos) return false;
  const std::string value = http::percent_decode(escaped, false);
  return is_distinctive(value) || is_whole_secret(value);
}

/// Returns true for a name that a client may have invented. "SVC.Core.Share/1/list" has no odd name, but the method in
/// a request can be any text.
bool is_odd_name(std::string_view escaped) {
  constexpr std::ptrdiff_t most_digits = 2;
  return std::count_if(escaped.begin(), escaped.end(), base::is_digit) > most_digits && is_distinctive(escaped);
}

/// Appends a path, with the segments hidden that `hides` selects.
template <class Hides>
void append_path(std::string& out, std::string_view path, Hides&& hides) {
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view segment = path.substr(at, end - at);
    out.append(at == 0 ? "" : "/").append(hides(segment) ? hidden : segment);
    at = end + 1;
  }
}

/// Appends a query that begins with '?'. Names and `&` stay, except odd names. A parameter without a value is checked
/// like a value.
void append_query(std::string& out, std::string_view query) {
  for (std::size_t at = 0; at < query.size();) {
    const std::size_t end = std::min(query.find('&', at), query.size());
    const std::string_view pair = query.substr(at, end - at);
    const std::size_t equals = pair.find('=');
    const bool is_bare = equals == std::string_view::npos;
    const std::string_view value = is_bare ? pair : pair.substr(equals + 1);
    const bool hides = is_bare ? is_distinctive(http::percent_decode(value, false)) : may_be_secret(value);
    const std::string_view name = is_bare ? std::string_view() : pair.substr(0, equals);
    out.append(at == 0 ? "" : "&").append(is_odd_name(http::percent_decode(name, false)) ? hidden : name);
    out.append(is_bare ? "" : "=").append(hides ? hidden : value);
    at = end + 1;
  }
}

}  // namespace

std::string guarded_key(std::string_view key) {
  std::string out;
  const bool is_call = key.find(' ') == std::string_view::npos;
  for (std::size_t at = 0; at < key.size();) {
    const std::size_t end = std::min(key.find(' ', at), key.size());
    const std::string_view word = key.substr(at, end - at);
    const std::size_t query = std::min(word.find('?'), word.size());
    if (at > 0) out += ' ';
    append_path(out, word.substr(0, query), [is_call](std::string_view segment) {
      return is_call ? is_odd_name(segment)
                     : !segment.starts_with('#') && is_distinctive(http::percent_decode(segment, false));
    });
    if (query < word.size()) append_query(out.append("?"), word.substr(query + 1));
    at = end + 1;
  }
  return out;
}

std::string scrub_own_text(std::string_view text, const CompiledRules& rules, const LearnedSecrets& learned) {
  std::vector<Spot> spots;
  add_parameters(text, rules, spots);
  add_searched(text, learned, spots);
  add_words(text, learned, spots);
  add_escaped(text, learned, spots);
  if (spots.empty()) return std::string(text);
  return replace(text, std::move(spots), [](const Spot& spot, std::string_view) { return placeholder(class_of(spot)); })
      .text;
}

std::string scrub_scope_name(std::string_view name, const LearnedSecrets& learned) {
  std::vector<Spot> spots;
  for (const SearchHit& hit : learned.search().search(name)) {
    spots.push_back(spot_at(hit.begin, hit.end, learned.class_of(hit.value)));
  }
  const auto word = [](const Spot& spot, std::string_view) {
    return "\1" + std::string(to_string(class_of(spot))) + "\2";
  };
  return replace(name, std::move(spots), word).text;
}

}  // namespace tapedeck::scrubbers
