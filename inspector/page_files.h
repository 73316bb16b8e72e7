#pragma once
// Provides the files of the page (inspector/page/), which are compiled into the program. They contain no data of a run,
// so they need no token. Requests for the data on the page need the token (docs/control-api.md, "Requests").

#include <string_view>
#include <utility>
#include <vector>

namespace tapedeck::inspector {

struct PageFile {
  std::string_view name;  ///< "index.html"
  std::string_view type;  ///< its Content-Type
  std::string_view bytes;
};

/// Returns the file of `/` or `/page/NAME`, or null for any other path.
[[nodiscard]] const PageFile* find_page_file(std::string_view path);

/// Returns the headers of every response of the control port. They limit what the page may load and do, and prevent
/// other pages from framing it, loading from it, or learning its address.
[[nodiscard]] const std::vector<std::pair<std::string_view, std::string_view>>& security_headers();

}  // namespace tapedeck::inspector
