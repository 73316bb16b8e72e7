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

/// Returns true if `value`, written by append_key_value() for a file with holes, names this file except for its holes.
[[nodiscard]] bool fits_file(const Param& file, std::string_view value);

/// Returns a short name of a long text. Without holes, this is the first 16 hex digits of its SHA-256. With holes, the
/// name must match texts that have other bytes in the holes. It then lists the pieces as `LENGTH.HASH` (hex, polynomial
/// hash) and the holes as `<LABEL>`, as in `27.0b1c…<SECRET>27.9f3a…`. `holes` are places in `text`, in any order.
[[nodiscard]] std::string content_name(std::string_view text, const std::vector<Hole>& holes);

/// Returns true if `name` is the content_name() of `text` except for the bytes in the holes (one or more bytes each).
/// Takes linear time. Returns false for a name without holes.
[[nodiscard]] bool fits_content(std::string_view text, std::string_view name);

/// Returns `holes` sorted by offset, cut to [begin, begin + length), and moved so that `begin` becomes 0. If holes
/// overlap, only the first one stays.
[[nodiscard]] std::vector<Hole> holes_within(const std::vector<Hole>& holes, RequestPart part, http::Span within);

}  // namespace tapedeck::api
