#pragma once
// The page's own files, compiled in (inspector/page/). They hold nothing of a run, so whoever reaches the port may read
// them; everything that they show is asked for with the token (docs/control-api.md, "Who may use it").

#include <string_view>
#include <utility>
#include <vector>

namespace tapedeck::inspector {

struct PageFile {
  std::string_view name;  ///< "index.html"
  std::string_view type;  ///< its Content-Type
  std::string_view bytes;
};

/// The file of `/` or `/page/NAME`, by its exact name; null for any other path.
[[nodiscard]] const PageFile* find_page_file(std::string_view path);

/// Lines that every answer of the control port has, whatever it is: what the page may load and do, and that no other
/// page may frame it, load from it or learn its address.
[[nodiscard]] const std::vector<std::pair<std::string_view, std::string_view>>& security_headers();

}  // namespace tapedeck::inspector
