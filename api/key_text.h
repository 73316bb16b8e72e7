#pragma once
// Defines the spelling of keys: which bytes are escaped, and how a value with holes is written. Used only to build
// keys.

#include <string>
#include <string_view>

#include "api/call.h"

namespace tapedeck::api {

/// The bytes that are escaped in addition to those that are escaped everywhere in a key (request_key.h).
enum class KeyTextPart {
  value,    ///< nothing else
  path,     ///< '?', which ends a path
  segment,  ///< '/' and '?', which separate api, version and method
};

/// Appends `text`. Escapes the bytes that have a meaning in keys or in terminals: C0 and C1 controls, DEL, and every
/// byte that is not part of well-formed UTF-8.
void append_escaped(std::string& out, std::string_view text, KeyTextPart part = KeyTextPart::value);

/// Appends a hole: `<LABEL>`.
void append_hole(std::string& out, std::string_view label);

/// Appends a parameter's value: canonical, escaped, with labels for holes. Appends a file as "@name:" and its
/// content_name().
void append_key_value(std::string& out, const Param& param);

/// Begins the name of a text with redacted places. A parameter cannot contain it, because its '+' would be encoded.
inline constexpr std::string_view redacted_content = "redacted+";

/// Returns a short name of a long text: the first 16 hex digits of its SHA-256. If it has redacted places, the name
/// begins with redacted_content, so it matches no request, whose content cannot be compared with the redacted one.
[[nodiscard]] std::string content_name(std::string_view text, bool is_redacted);

/// Returns the holes of a part, sorted by offset. If holes overlap, only the first one stays.
[[nodiscard]] std::vector<Hole> holes_in_order(const std::vector<Hole>& holes, RequestPart part);

/// Returns those of `in_order` (holes_in_order) that lie within [begin, begin + length), cut to it, and moved so that
/// `begin` becomes 0.
[[nodiscard]] std::vector<Hole> holes_within(const std::vector<Hole>& in_order, http::Span within);

}  // namespace tapedeck::api
