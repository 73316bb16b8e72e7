#include "scrubbers/text/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/base64.h"
#include "base/escapes.h"
#include "base/text.h"
#include "base/utf8.h"

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
      base::append_hex(out, c, style.upper);
    }
  }
  return out;
}

/// A byte that is not UTF-8 is taken as the character with the same number.
struct Character {
  std::uint32_t code_point = 0;
  std::string_view bytes;
  bool is_valid = true;
};

/// Removes the first character.
Character take_character(std::string_view& text) {
  const auto [code_point, length] = base::utf8_front(text);
  const bool is_valid = length > 0;
  const Character one{is_valid ? std::uint32_t{code_point} : static_cast<std::uint8_t>(text.front()),
                      text.substr(0, is_valid ? length : 1), is_valid};
  text.remove_prefix(one.bytes.size());
  return one;
}

struct JsonStyle {
  bool slash = false;
  bool ascii = false;
  bool all = false;
};

void put_code_point(std::string& out, std::uint32_t code_point) {
  if (code_point >= 0x10000) {
    out += fmt::format("\\u{:04x}", 0xD800 + ((code_point - 0x10000) >> 10));
    code_point = 0xDC00 + ((code_point - 0x10000) & 0x3FF);
  }
  out += fmt::format("\\u{:04x}", code_point);
}

std::string json(std::string_view value, const JsonStyle& style) {
  constexpr std::string_view controls = "\b\f\n\r\t", letters = "bfnrt";
  std::string out;
  while (!value.empty()) {
    const Character one = take_character(value);
    const std::uint32_t code_point = one.code_point;
    if (style.all && one.is_valid) {
      put_code_point(out, code_point);
    } else if (code_point == '"' || code_point == '\\' || (style.slash && code_point == '/')) {
      out += '\\';
      out += one.bytes;
    } else if (const std::size_t letter = controls.find(one.bytes); letter != base::npos) {
      out += '\\';
      out += letters[letter];
    } else if (code_point < 0x20 || (style.ascii && one.is_valid && code_point > 0x7E)) {
      put_code_point(out, code_point);
    } else {
      out += one.bytes;
    }
  }
  return out;
}

std::string html(std::string_view value) {
  std::string out;
  for (const char c : value) {
    const std::string_view escape = c == '\'' ? "&#39;" : base::markup_escape(c);
    out += escape.empty() ? std::string_view(&c, 1) : escape;
  }
  return out;
}

std::string html_numbers(std::string_view value, bool hex) {
  std::string out;
  while (!value.empty()) {
    const std::uint32_t code_point = take_character(value).code_point;
    out += hex ? fmt::format("&#x{:x};", code_point) : fmt::format("&#{};", code_point);
  }
  return out;
}

constexpr std::array<std::string_view, 24> form_names = {
    "percent",     "percent-lower", "form",         "form-lower", "percent-all",      "percent-all-lower",
    "percent-any", "json",          "json-slash",   "json-ascii", "json-slash-ascii", "json-unicode",
    "json-any",    "html",          "html-decimal", "html-hex",   "html-any",         "hex",
    "HEX",         "hex-spaced",    "HEX-spaced",   "utf16le",    "base64",           "base64url"};

bool is_base64(Form form) { return form == Form::base64 || form == Form::base64url; }

std::optional<EncodingStep> parse_step(std::string_view text) {
  const auto name = std::find(form_names.begin(), form_names.end(), base::take_until(text, ':'));
  if (name == form_names.end()) return std::nullopt;
  EncodingStep step{static_cast<Form>(name - form_names.begin())};
  if (!text.empty() && !is_base64(step.form)) return std::nullopt;
  for (std::uint8_t* const number : {&step.before, &step.left, &step.right}) {
    if (text.empty()) break;  // a missing number is 0
    const auto parsed = base::whole_number<std::uint8_t>(base::take_until(text, ':'));
    if (!parsed) return std::nullopt;
    *number = *parsed;
  }
  return text.empty() && step.before <= 2 ? std::optional(step) : std::nullopt;
}

std::string encode_one(std::string_view value, const EncodingStep& step) {
  constexpr std::string_view unreserved = "-._~";
  constexpr std::string_view form_kept = "*-._";
  switch (step.form) {
    case Form::percent:
    case Form::percent_any:
      return percent(value, {unreserved});
    case Form::percent_lower:
      return percent(value, {unreserved, false, false});
    case Form::percent_all:
      return percent(value, {{}, true});
    case Form::percent_all_lower:
      return percent(value, {{}, true, false});
    case Form::form:
      return percent(value, {form_kept, false, true, true});
    case Form::form_lower:
      return percent(value, {form_kept, false, false, true});
    case Form::json:
    case Form::json_any:
      return json(value, {});
    case Form::json_slash:
      return json(value, {true});
    case Form::json_ascii:
      return json(value, {false, true});
    case Form::json_slash_ascii:
      return json(value, {true, true});
    case Form::json_unicode:
      return json(value, {false, false, true});
    case Form::html:
    case Form::html_any:
      return html(value);
    case Form::html_decimal:
      return html_numbers(value, false);
    case Form::html_hex:
      return html_numbers(value, true);
    case Form::hex:
    case Form::spaced_hex:
      return hex_form(value, false, step.form == Form::spaced_hex);
    case Form::upper_hex:
    case Form::upper_spaced_hex:
      return hex_form(value, true, step.form == Form::upper_spaced_hex);
    case Form::utf16le:
      return base::to_utf16(value);
    case Form::base64:
      return base::to_base64(value, base::base64_alphabet, step.before, step.left, step.right);
    case Form::base64url:
      return base::to_base64(value, base::base64url_alphabet, step.before, step.left, step.right);
  }
  return std::string(value);
}

}  // namespace

std::string to_string(const Encoding& encoding) {
  std::string text;
  for (const EncodingStep& step : encoding) {
    if (!text.empty()) text += '>';
    text += form_names.at(static_cast<std::size_t>(step.form));
    if (!is_base64(step.form)) continue;
    for (const unsigned number : {step.before, step.left, step.right}) text += ":" + std::to_string(number);
  }
  return text;
}

std::optional<Encoding> parse_encoding(std::string_view text) {
  Encoding encoding;
  if (text.ends_with('>') || text.ends_with(':') || text.find(":>") != base::npos) return std::nullopt;
  while (!text.empty()) {
    const auto step = parse_step(base::take_until(text, '>'));
    if (!step) return std::nullopt;
    encoding.push_back(*step);
  }
  return encoding;
}

std::string hex_form(std::string_view value, bool upper, bool spaced) {
  std::string digits;
  for (const char c : value) {
    if (spaced && !digits.empty()) digits += ' ';
    base::append_hex(digits, c, upper);
  }
  return digits;
}

std::string encode(std::string_view value, const Encoding& encoding) {
  std::string text(value);
  for (auto step = encoding.rbegin(); step != encoding.rend(); ++step) text = encode_one(text, *step);
  return text;
}

bool has_base64(const Encoding& encoding) {
  return std::any_of(encoding.begin(), encoding.end(), [](const EncodingStep& step) { return is_base64(step.form); });
}

Encoding nested(Encoding outer, const Encoding& inner) {
  outer.insert(outer.end(), inner.begin(), inner.end());
  return outer;
}

}  // namespace tapedeck::scrubbers
