#pragma once
// The text of api/catalog.tsv. cmake/embed_text.cmake generates the definition.

#include <string_view>

namespace tapedeck::api {

extern const std::string_view catalog_text;

}  // namespace tapedeck::api
