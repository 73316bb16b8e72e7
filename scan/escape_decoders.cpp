// Decodes single escapes in running text: percent encoding, JSON escapes, and HTML entities.

#include <algorithm>
#include <cstdint>

#include "base/escapes.h"
#include "scan/byte_tables.h"
#include "scan/text_decoders.h"

namespace tapedeck::scan {

namespace {

constexpr std::size_t longest_run = 64 * 1024;
constexpr std::string_view separator = " \n \n";

using base::Escape;
using base::escape_of_byte;
using base::escape_of_character;
using base::hex_number;

Escape percent_at(std::string_view view, std::size_t at) {
  const std::string_view text = view.substr(at);
  if (const Escape escape = base::percent_escape(text); escape.length > 0) return escape;
  // %uXXXX is the old JavaScript escape.
  if (text.size() < 2 || (text[1] | 0x20) != 'u') return {};
  const auto number = hex_number(text.substr(2), 4);
  return number ? escape_of_character(*number, 6) : Escape{};
}

Escape form_at(std::string_view view, std::size_t at) {
  return view[at] == '+' ? escape_of_byte(' ', 1) : percent_at(view, at);
}

Escape octal_at(std::string_view view, std::size_t at) {
  constexpr std::size_t most = 3;
  constexpr int largest = 255;
  std::size_t end = at + 1;
  int value = 0;
  while (end < view.size() && end - at <= most && view[end] >= '0' && view[end] <= '7') {
    value = value * 8 + (view[end++] - '0');
  }
  return end > at + 1 && value <= largest ? escape_of_byte(static_cast<char>(value), end - at) : Escape{};
}

/// Decodes the escapes of JSON and those of scripts: `\'`, `\x61`, `\141`.
Escape json_at(std::string_view view, std::size_t at) {
  const std::string_view text = view.substr(at);
  if (const Escape escape = base::json_escape(text); escape.length > 0) return escape;
  if (text.starts_with("\\'")) return escape_of_byte('\'', 2);
  if (!text.starts_with("\\x")) return octal_at(view, at);
  const auto number = hex_number(text.substr(2), 2);
  return number ? escape_of_byte(static_cast<char>(*number), 4) : Escape{};
}

/// Decodes quoted-printable escapes: `=61`, `=\r\n`.
Escape quoted_at(std::string_view view, std::size_t at) {
  const std::string_view behind = view.substr(at + 1);
  if (const auto number = hex_number(behind, 2)) return escape_of_byte(static_cast<char>(*number), 3);
  if (behind.starts_with("\r\n")) return {3, {}, 0};
  return behind.starts_with('\n') ? Escape{2, {}, 0} : Escape{};
}

Escape entity_at(std::string_view view, std::size_t at) {
  constexpr std::string_view space = "&nbsp;";  // the search treats it as a space
  const std::string_view text = view.substr(at);
  return text.starts_with(space) ? escape_of_byte(' ', space.size()) : base::html_escape(text);
}

/// Copies the surroundings of escapes, and writes separators between escapes that are far apart.
class WindowWriter {
 public:
  WindowWriter(std::string_view view, std::size_t margin, DecodedText& out)
      : view_(view), margin_(margin), out_(out.text), changed_(out.changed) {}

  void write(std::size_t at, const Escape& escape) {
    if (copied_ > 0 && at - copied_ <= margin_) {
      out_.append(view_, copied_, at - copied_);
    } else {
      write_gap(at);
    }
    changed_.push_back(out_.size());
    out_.append(escape.bytes.data(), escape.size);
    copied_ = at + escape.length;
  }

  void finish() { out_.append(view_, copied_, right_edge(view_.size()) - copied_); }

 private:
  void write_gap(std::size_t at) {
    const std::size_t keep_until = right_edge(at);
    std::size_t from = left_edge(at);
    if (copied_ > 0) {
      if (from <= keep_until) {
        from = copied_;
      } else {
        out_.append(view_, copied_, keep_until - copied_).append(separator);
      }
    }
    out_.append(view_, from, at - from);
  }
  /// Returns a position outside of any value, because a cut value would look like another one.
  [[nodiscard]] std::size_t right_edge(std::size_t limit) const {
    std::size_t edge = std::min(limit, copied_ + margin_);
    const std::size_t last = std::min(limit, copied_ + longest_run);
    while (edge < last && is_in_value(view_[edge])) ++edge;
    return edge;
  }
  [[nodiscard]] std::size_t left_edge(std::size_t at) const {
    const std::size_t floor = std::max(copied_, at > longest_run ? at - longest_run : 0);
    std::size_t edge = at - std::min(at - floor, margin_);
    while (edge > floor && base64_value(view_[edge - 1]) >= 0) --edge;
    return edge;
  }

  std::string_view view_;
  std::size_t margin_;
  std::string& out_;
  std::vector<std::size_t>& changed_;
  std::size_t copied_ = 0;  ///< everything before this is copied or skipped
};

/// The loop of all decoders. `triggers` are the characters that begin an escape.
template <class EscapeAt>
bool decode(std::string_view view, std::size_t margin, DecodedText& out, std::string_view triggers,
            EscapeAt escape_at) {
  const auto next = [&](std::size_t at) {
    return triggers.size() == 1 ? view.find(triggers.front(), at) : view.find_first_of(triggers, at);
  };
  WindowWriter writer(view, margin, out);
  bool any = false;
  for (std::size_t at = next(0); at != std::string_view::npos;) {
    const Escape escape = escape_at(view, at);
    if (escape.length > 0) {
      if (!any) out = {};
      any = true;
      writer.write(at, escape);
    }
    at = next(at + std::max<std::size_t>(1, escape.length));
  }
  if (any) writer.finish();
  return any;
}

}  // namespace

bool decode_percent(std::string_view view, std::size_t margin, bool plus_is_space, DecodedText& out) {
  return plus_is_space ? decode(view, margin, out, "%+", form_at) : decode(view, margin, out, "%", percent_at);
}

bool decode_json_escapes(std::string_view view, std::size_t margin, DecodedText& out) {
  return decode(view, margin, out, "\\", json_at);
}

bool decode_quoted_printable(std::string_view view, std::size_t margin, DecodedText& out) {
  return decode(view, margin, out, "=", quoted_at);
}

bool decode_html_entities(std::string_view view, std::size_t margin, DecodedText& out) {
  return decode(view, margin, out, "&", entity_at);
}

}  // namespace tapedeck::scan
