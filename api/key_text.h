#pragma once
// The spelling of keys: which bytes stand for themselves, and how a value with holes in it is written. Used by the key
// builder alone.

#include <string>
#include <string_view>

#include "api/call.h"

namespace tapedeck::api {

/// What else is escaped besides the bytes that every part of a key escapes (request_key.h).
enum class KeyTextPart {
  value,    ///< nothing else
  path,     ///< '?', which ends a path
  segment,  ///< '/' and '?', which separate api, version and method
};

/// Appends `text` with the bytes escaped that would be read as a key's own marks, or that a terminal would obey: C0 and
/// C1 controls, DEL, and every byte that is not part of well-formed UTF-8.
void append_escaped(std::string& out, std::string_view text, KeyTextPart part = KeyTextPart::value);

/// A hole as it stands in a key: `<LABEL>`.
void append_hole(std::string& out, std::string_view label);

/// Appends a parameter's value as it stands in a key: canonical, escaped, holes as their labels; a file as "@name:" and
/// its content_name().
void append_key_value(std::string& out, const Param& param);

/// True when `value`, as append_key_value() wrote it of a file with holes in it, names this file but for its holes.
[[nodiscard]] bool fits_file(const Param& file, std::string_view value);

/// The holes of a parameter with their places in its value, in order and without overlaps.
[[nodiscard]] std::vector<Hole> value_holes(const Param& param);

/// The short name of a long text. Without holes: the first 16 hex digits of its SHA-256. With holes, so that the same
/// text with other bytes in its holes can be told: its pieces as `LENGTH.HASH` (hex, polynomial hash) and its holes as
/// `<LABEL>`, as in `27.0b1c…<SECRET>27.9f3a…`. `holes` are the places in `text` and may come in any order.
[[nodiscard]] std::string content_name(std::string_view text, const std::vector<Hole>& holes);

/// True when `name`, which content_name() gave to a text with holes, is the name of `text` but for what stands in the
/// holes: one or more bytes each. Linear in `text`. False for a name without holes.
[[nodiscard]] bool fits_content(std::string_view text, std::string_view name);

/// `holes` by their offsets in the text of a part, cut to [begin, begin + length) and moved so that `begin` is 0; of
/// holes that overlap only the first stays.
[[nodiscard]] std::vector<Hole> holes_within(const std::vector<Hole>& holes, RequestPart part, http::Span within);

}  // namespace tapedeck::api
