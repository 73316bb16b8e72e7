#include "tests/support/secret_forms.h"

#include <zlib.h>
#include <zstd.h>

#include <stdexcept>

#include "tests/support/bombs.h"

namespace tapedeck::tests {
namespace {

constexpr std::string_view lower_digits = "0123456789abcdef", upper_digits = "0123456789ABCDEF";

std::string hex_byte(char c, std::string_view digits) {
  const auto byte = static_cast<unsigned char>(c);
  return {digits[byte >> 4], digits[byte & 15]};
}

bool is_plain(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }

template <typename Encode>
std::string each(std::string_view text, Encode encode) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) out += encode(text[i], i);
  return out;
}

std::string raw(std::string_view text) { return std::string(text); }

std::string percent_needed(std::string_view text) {
  return each(text,
              [](char c, std::size_t) { return is_plain(c) ? std::string(1, c) : "%" + hex_byte(c, upper_digits); });
}

std::string percent_all_lower(std::string_view text) {
  return each(text, [](char c, std::size_t) { return "%" + hex_byte(c, lower_digits); });
}

/// Encodes every third character, in either case, unlike any encoder.
std::string percent_some(std::string_view text) {
  return each(text, [](char c, std::size_t i) {
    return is_plain(c) && i % 3 != 0 ? std::string(1, c) : "%" + hex_byte(c, i % 2 == 0 ? upper_digits : lower_digits);
  });
}

std::string percent_twice(std::string_view text) { return percent_needed(percent_some(text)); }

std::string form_spaces(std::string_view text) {
  return each(text, [](char c, std::size_t) {
    return c == ' ' ? std::string("+") : is_plain(c) ? std::string(1, c) : "%" + hex_byte(c, upper_digits);
  });
}

std::string json(std::string_view text) {
  return each(text, [](char c, std::size_t) {
    return c == '"' || c == '\\' || c == '/' ? std::string{'\\', c} : std::string(1, c);
  });
}

/// Encodes each character of a text in UTF-8, as its number.
template <typename Encode>
std::string each_character(std::string_view text, Encode encode) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    unsigned number = lead < 0xC0 ? lead : lead < 0xE0 ? lead & 0x1Fu : lead & 0x0Fu;  // none is beyond U+FFFF
    while (lead >= 0xC0 && i < text.size() && (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80) {
      number = number << 6 | (static_cast<unsigned char>(text[i++]) & 0x3Fu);
    }
    out += encode(number);
  }
  return out;
}

std::string json_unicode(std::string_view text) {
  return each_character(text, [](unsigned number) {
    return "\\u" + hex_byte(static_cast<char>(number >> 8), lower_digits) +
           hex_byte(static_cast<char>(number), lower_digits);
  });
}

std::string json_twice(std::string_view text) { return json(json(text)); }
std::string json_unicode_in_json(std::string_view text) { return json(json_unicode(text)); }

std::string html_named(std::string_view text) {
  return each(text, [](char c, std::size_t) {
    return c == '&' ? std::string("&amp;") : c == '"' ? "&quot;" : c == '\'' ? "&#39;" : std::string(1, c);
  });
}

std::string html_decimal(std::string_view text) {
  return each_character(text, [](unsigned number) { return "&#" + std::to_string(number) + ";"; });
}

std::string html_hex(std::string_view text) {
  return each_character(text, [](unsigned number) {
    const std::string high = number > 0xFF ? hex_byte(static_cast<char>(number >> 8), upper_digits) : "";
    return "&#x" + high + hex_byte(static_cast<char>(number), upper_digits) + ";";
  });
}

std::string base64(std::string_view text, bool url, bool padded) {
  const std::string alphabet =
      std::string("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") + (url ? "-_" : "+/");
  std::string out;
  for (std::size_t i = 0; i < text.size(); i += 3) {
    unsigned block = 0;
    const std::size_t count = std::min<std::size_t>(3, text.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      block = block << 8 | (k < count ? static_cast<unsigned char>(text[i + k]) : 0U);
    }
    for (std::size_t k = 0; k <= count; ++k) out += alphabet[block >> (18 - 6 * k) & 63];
    if (padded) out.append(3 - count, '=');
  }
  return out;
}

std::string base64_at_0(std::string_view text) { return base64(text, false, true); }
std::string base64_at_1(std::string_view text) { return base64("k" + std::string(text) + "tail", false, false); }
std::string base64_at_2(std::string_view text) { return base64("k=" + std::string(text), false, true); }
std::string base64_url(std::string_view text) { return base64("id:" + std::string(text) + ":x", true, false); }
std::string percent_base64(std::string_view text) { return percent_needed(base64_at_0(text)); }

std::string hex_lower(std::string_view text) {
  return each(text, [](char c, std::size_t) { return hex_byte(c, lower_digits); });
}
std::string hex_upper(std::string_view text) {
  return each(text, [](char c, std::size_t) { return hex_byte(c, upper_digits); });
}
std::string hex_spaced(std::string_view text) {
  return each(text, [](char c, std::size_t i) { return (i == 0 ? "" : " ") + hex_byte(c, lower_digits); });
}
std::string utf16(std::string_view text) {
  return each_character(text, [](unsigned number) {
    return std::string{static_cast<char>(number), static_cast<char>(number >> 8)};
  });
}

std::string percent_three_times(std::string_view text) { return percent_needed(percent_twice(text)); }
std::string json_three_times(std::string_view text) { return json(json(json_unicode(text))); }
std::string base64_twice(std::string_view text) { return base64_at_0(base64_at_1(text)); }
std::string base64_gzip(std::string_view text) {
  return base64_at_0(gzip_of("{\"note\":\"" + std::string(text) + "\"}"));
}
std::string hex_colons(std::string_view text) {
  return each(text, [](char c, std::size_t i) { return (i == 0 ? "" : ":") + hex_byte(c, upper_digits); });
}
std::string hex_mixed(std::string_view text) {
  return each(text, [](char c, std::size_t i) { return hex_byte(c, i % 2 == 0 ? upper_digits : lower_digits); });
}

std::string deflate_of(std::string_view bytes) {
  std::string out(compressBound(bytes.size()), '\0');
  uLongf size = out.size();
  if (compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
               bytes.size()) != Z_OK) {
    throw std::runtime_error("cannot deflate");
  }
  out.resize(size);
  return out;
}

std::string zstd_of(std::string_view bytes) {
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  const std::size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), 3);
  if (ZSTD_isError(size) != 0) throw std::runtime_error("cannot zstd");
  out.resize(size);
  return out;
}

}  // namespace

const std::vector<SecretForm>& secret_forms() {
  static const std::vector<SecretForm> forms = {
      {"raw", raw},
      {"percent", percent_needed},
      {"percent, every byte, lower case", percent_all_lower},
      {"percent, some bytes, both cases", percent_some},
      {"percent twice", percent_twice},
      {"form", form_spaces},
      {"JSON", json},
      {"JSON, unicode escapes", json_unicode},
      {"JSON in JSON", json_twice},
      {"unicode escapes in JSON in JSON", json_unicode_in_json},
      {"HTML, named", html_named},
      {"HTML, decimal", html_decimal},
      {"HTML, hexadecimal", html_hex},
      {"base64", base64_at_0},
      {"base64 behind one byte", base64_at_1},
      {"base64 behind two bytes", base64_at_2},
      {"base64url", base64_url},
      {"percent over base64", percent_base64},
      {"hex", hex_lower},
      {"hex, upper case", hex_upper},
      {"hex, spaced", hex_spaced},
      {"UTF-16LE", utf16},
  };
  return forms;
}

const std::vector<SecretForm>& odd_forms() {
  static const std::vector<SecretForm> forms = {
      {"percent three times", percent_three_times},
      {"JSON three times", json_three_times},
      {"base64 twice", base64_twice},
      {"gzip in base64", base64_gzip},
      {"hex with colons", hex_colons},
      {"hex in mixed case", hex_mixed},
  };
  return forms;
}

std::string zip_of(std::string_view content) {
  const std::string zlib = deflate_of(content);
  const std::string raw_stream = zlib.substr(2, zlib.size() - 6);
  const auto number = [](std::size_t value, std::size_t bytes) {
    std::string out;
    for (std::size_t i = 0; i < bytes; ++i) out += static_cast<char>(value >> 8 * i);
    return out;
  };
  return "PK\3\4" + number(20, 2) + number(0, 2) + number(8, 2) + number(0, 8) + number(raw_stream.size(), 4) +
         number(content.size(), 4) + number(1, 2) + number(0, 2) + "f" + raw_stream;
}

std::string packed(std::string_view bytes, const std::string& encoding) {
  if (encoding == "gzip") return gzip_of(bytes);
  if (encoding == "deflate") return deflate_of(bytes);
  if (encoding == "br") return brotli_of(bytes);
  if (encoding == "zstd") return zstd_of(bytes);
  throw std::runtime_error("no such encoding: " + encoding);
}

}  // namespace tapedeck::tests
