#include <array>
#include <charconv>
#include <optional>

#include "base/text.h"
#include "scrubbers/text/codec.h"
#include "scrubbers/text/text_forms.h"

namespace tapedeck::scrubbers {
namespace {

struct PercentStyle {
  std::string_view kept;  ///< kept in addition to letters and digits
  bool all = false;
  bool upper = true;
  bool plus = false;
};

std::string percent(std::string_view value, const PercentStyle& style) {
  std::string out;
  for (const char c : value) {
    if (style.plus && c == ' ') {
      out += '+';
    } else if (!style.all && (base::is_alnum(c) || style.kept.find(c) != std::string_view::npos)) {
      out += c;
    } else {
      out += '%';
      out += hex_form({&c, 1}, style.upper, false);
    }
  }
  return out;
}

struct JsonStyle {
  bool slash = false;
  bool ascii = false;
  bool all = false;
};

void put_unit(std::string& out, std::uint32_t unit) {
  const std::array<char, 2> bytes{static_cast<char>(unit >> 8), static_cast<char>(unit & 0xFF)};
  out += "\\u";
  out += hex_form({bytes.data(), bytes.size()}, false, false);
}

void put_code_point(std::string& out, std::uint32_t code_point) {
  if (code_point >= 0x10000) {
    put_unit(out, 0xD800 + ((code_point - 0x10000) >> 10));
    code_point = 0xDC00 + ((code_point - 0x10000) & 0x3FF);
  }
  put_unit(out, code_point);
}

// Returns the second character of the two-character escape of a control character, or 0.
char short_escape(std::uint32_t code_point) {
  switch (code_point) {
    case '\b':
      return 'b';
    case '\f':
      return 'f';
    case '\n':
      return 'n';
    case '\r':
      return 'r';
    case '\t':
      return 't';
    default:
      return 0;
  }
}

std::string json(std::string_view value, const JsonStyle& style) {
  std::string out;
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t from = at;
    const auto [code_point, valid] = take_utf8(value, at);
    if (style.all && valid) {
      put_code_point(out, code_point);
    } else if (code_point == '"' || code_point == '\\' || (style.slash && code_point == '/')) {
      out += '\\';
      out += value[from];
    } else if (const char letter = short_escape(code_point); letter != 0) {
      out += '\\';
      out += letter;
    } else if (code_point < 0x20 || (style.ascii && valid && code_point > 0x7E)) {
      put_code_point(out, code_point);
    } else {
      out += value.substr(from, at - from);
    }
  }
  return out;
}

std::string html(std::string_view value) {
  std::string out;
  for (const char c : value) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string html_numbers(std::string_view value, bool hex) {
  std::string out;
  for (std::size_t at = 0; at < value.size();) {
    const std::uint32_t code_point = take_utf8(value, at).code_point;
    std::array<char, 12> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), code_point, hex ? 16 : 10).ptr;
    out += hex ? "&#x" : "&#";
    out.append(digits.data(), end);
    out += ';';
  }
  return out;
}

// Parses the three numbers in a name such as "base64:1:2:0". Missing numbers are 0.
std::string base64(std::string_view value, std::string_view name) {
  const std::size_t first = name.find(':');
  const bool url = name.substr(0, first) == "base64url";
  std::array<unsigned, 3> numbers{};
  std::size_t at = first;
  for (unsigned& number : numbers) {
    if (at == std::string_view::npos) break;
    const std::size_t next = name.find(':', at + 1);
    const std::string_view digits = name.substr(at + 1, next == std::string_view::npos ? next : next - at - 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), number);
    at = next;
  }
  return to_base64(value, url ? base64url_alphabet : base64_alphabet, numbers[0] % 3, numbers[1], numbers[2]);
}

std::optional<std::string> encode_percent(std::string_view value, std::string_view name) {
  constexpr std::string_view unreserved = "-._~";
  constexpr std::string_view form_kept = "*-._";
  if (name == "percent" || name == "percent-any") return percent(value, {unreserved});
  if (name == "percent-lower") return percent(value, {unreserved, false, false});
  if (name == "percent-all") return percent(value, {{}, true});
  if (name == "percent-all-lower") return percent(value, {{}, true, false});
  if (name == "form") return percent(value, {form_kept, false, true, true});
  if (name == "form-lower") return percent(value, {form_kept, false, false, true});
  return std::nullopt;
}

std::optional<std::string> encode_json(std::string_view value, std::string_view name) {
  if (name == "json" || name == "json-any") return json(value, {});
  if (name == "json-slash") return json(value, {true});
  if (name == "json-ascii") return json(value, {false, true});
  if (name == "json-slash-ascii") return json(value, {true, true});
  if (name == "json-unicode") return json(value, {false, false, true});
  return std::nullopt;
}

std::string encode_one(std::string_view value, std::string_view name) {
  if (auto encoded = encode_percent(value, name)) return *std::move(encoded);
  if (auto encoded = encode_json(value, name)) return *std::move(encoded);
  if (name == "html" || name == "html-any") return html(value);
  if (name == "html-decimal") return html_numbers(value, false);
  if (name == "html-hex") return html_numbers(value, true);
  if (name == "hex" || name == "hex-spaced") return hex_form(value, false, name != "hex");
  if (name == "HEX" || name == "HEX-spaced") return hex_form(value, true, name != "HEX");
  if (name == "utf16le") return to_utf16le(value);
  if (name.starts_with("base64")) return base64(value, name);
  return std::string(value);
}

}  // namespace

std::string encode(std::string_view value, std::string_view encoding) {
  std::string text(value);
  while (!encoding.empty()) {
    const std::size_t cut = encoding.rfind('>');
    const std::string_view innermost = cut == std::string_view::npos ? encoding : encoding.substr(cut + 1);
    text = encode_one(text, innermost);
    encoding = cut == std::string_view::npos ? std::string_view{} : encoding.substr(0, cut);
  }
  return text;
}

}  // namespace tapedeck::scrubbers
