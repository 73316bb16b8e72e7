#pragma once
// The verdict on most answers, found by a look instead of a parser's events.

#include <string_view>

namespace tapedeck::api {

/// True only for valid JSON that is an object whose member "success" is true, and stands there once, and that has no
/// "error". Where that takes a closer look (escapes in its names, exponents, deep nesting, white space that is none)
/// false: who asks then reads it with a parser. Bytes from 0x80 on pass in strings, UTF-8 or not.
[[nodiscard]] bool is_plain_success(std::string_view body);

}  // namespace tapedeck::api
