#include "http/urlencoded.h"

#include <algorithm>

namespace tapedeck::http {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_unreserved(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

Pair parse_pair(std::string_view text, std::size_t begin, std::size_t end) {
  const std::string_view piece = text.substr(begin, end - begin);
  const std::size_t equals = std::min(piece.find('='), piece.size());
  const std::size_t value = std::min(equals + 1, piece.size());
  Pair pair;
  pair.name = percent_decode(piece.substr(0, equals), true);
  pair.value = percent_decode(piece.substr(value), true);
  pair.raw_name = Span{begin, equals};
  pair.raw_value = Span{begin + value, piece.size() - value};
  return pair;
}

}  // namespace

std::vector<Pair> parse_urlencoded(std::string_view text) {
  std::vector<Pair> pairs;
  pairs.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '&')) + 1);
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('&', begin), text.size());
    if (end > begin) pairs.push_back(parse_pair(text, begin, end));
    begin = end + 1;
  }
  return pairs;
}

std::string percent_decode(std::string_view text, bool plus_is_space) {
  const auto is_encoded = [plus_is_space](char c) { return c == '%' || (plus_is_space && c == '+'); };
  const auto plain = std::find_if(text.begin(), text.end(), is_encoded);
  std::string decoded(text.begin(), plain);
  if (plain == text.end()) return decoded;
  decoded.reserve(text.size());
  for (std::size_t i = decoded.size(); i < text.size(); ++i) {
    if (text[i] == '%' && i + 2 < text.size() && hex_value(text[i + 1]) >= 0 && hex_value(text[i + 2]) >= 0) {
      decoded.push_back(static_cast<char>(hex_value(text[i + 1]) * 16 + hex_value(text[i + 2])));
      i += 2;
    } else {
      decoded.push_back(plus_is_space && text[i] == '+' ? ' ' : text[i]);
    }
  }
  return decoded;
}

std::string percent_encode(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  encoded.reserve(text.size());
  for (const char c : text) {
    if (is_unreserved(c)) {
      encoded.push_back(c);
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded.push_back('%');
    encoded.push_back(digits[byte >> 4]);
    encoded.push_back(digits[byte & 15]);
  }
  return encoded;
}

TargetParts split_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return TargetParts{target, target.substr(target.size()), false};
  return TargetParts{target.substr(0, mark), target.substr(mark + 1), true};
}

bool is_form(const Headers& headers) {
  std::string_view type = headers.first("Content-Type").value_or("");
  type = type.substr(0, std::min(type.find(';'), type.size()));
  while (type.ends_with(' ') || type.ends_with('\t')) type.remove_suffix(1);
  return equal_no_case(type, "application/x-www-form-urlencoded");
}

}  // namespace tapedeck::http
