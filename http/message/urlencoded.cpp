#include "http/message/urlencoded.h"

#include <algorithm>

#include "base/text.h"

namespace tapedeck::http {
namespace {

using base::hex_value;

}  // namespace

std::optional<RawPair> next_pair(std::string_view text, std::size_t& at) {
  while (at < text.size() && text[at] == '&') ++at;
  if (at >= text.size()) return std::nullopt;
  const std::size_t begin = at;
  const std::size_t end = std::min(text.find('&', begin), text.size());
  const std::size_t equals = std::min(text.substr(begin, end - begin).find('='), end - begin) + begin;
  const std::size_t value = std::min(equals + 1, end);
  at = end;
  return RawPair{{begin, equals - begin}, {value, end - value}};
}

std::string_view raw_parameter(std::string_view target, std::string_view name) {
  const std::string_view query = split_target(target).query;
  for (std::size_t at = 0; const auto pair = next_pair(query, at);) {
    if (query.substr(pair->name.offset, pair->name.length) != name) continue;
    return query.substr(pair->value.offset, pair->value.length);
  }
  return {};
}

std::vector<Pair> parse_urlencoded(std::string_view text) {
  std::vector<Pair> pairs;
  pairs.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '&')) + 1);
  for (std::size_t at = 0; const auto raw = next_pair(text, at);) {
    Pair& pair = pairs.emplace_back();
    pair.name = percent_decode(text.substr(raw->name.offset, raw->name.length), true);
    pair.value = percent_decode(text.substr(raw->value.offset, raw->value.length), true);
  }
  return pairs;
}

std::string percent_decode(std::string_view text, bool plus_is_space) {
  std::string decoded(text);
  const auto encoded = std::find_if(text.begin(), text.end(), [](char c) { return c == '%' || c == '+'; });
  if (encoded == text.end()) return decoded;
  std::size_t at = static_cast<std::size_t>(encoded - text.begin());
  std::size_t length = at;  // length of the decoded text
  while (at < text.size()) {
    const bool is_escape = text[at] == '%' && at + 2 < text.size();
    const int high = is_escape ? hex_value(text[at + 1]) : -1;
    const int low = high >= 0 ? hex_value(text[at + 2]) : -1;
    const char plain = plus_is_space && text[at] == '+' ? ' ' : text[at];
    decoded[length++] = low >= 0 ? static_cast<char>(high * 16 + low) : plain;
    at += low >= 0 ? 3 : 1;
  }
  decoded.resize(length);
  return decoded;
}

std::string percent_encode(std::string_view text) {
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded.push_back(c);
      continue;
    }
    encoded.push_back('%');
    base::append_hex(encoded, c, true);
  }
  return encoded;
}

TargetParts split_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return TargetParts{target, target.substr(target.size()), false};
  return TargetParts{target.substr(0, mark), target.substr(mark + 1), true};
}

bool is_form(const Headers& headers) { return equal_no_case(media_type(headers), "application/x-www-form-urlencoded"); }

}  // namespace tapedeck::http
