#include "http/message/content_type.h"

#include <array>
#include <utility>

#include "base/text.h"

namespace tapedeck::http {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 41> content_types = {{
    {".html", "text/html; charset=utf-8"},
    {".htm", "text/html; charset=utf-8"},
    {".xhtml", "application/xhtml+xml"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".cjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json"},
    {".map", "application/json"},
    {".webmanifest", "application/manifest+json"},
    {".wasm", "application/wasm"},
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/markdown; charset=utf-8"},
    {".csv", "text/csv; charset=utf-8"},
    {".vtt", "text/vtt; charset=utf-8"},
    {".xml", "application/xml"},
    {".pdf", "application/pdf"},
    {".zip", "application/zip"},
    {".gz", "application/gzip"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".apng", "image/apng"},
    {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},
    {".gif", "image/gif"},
    {".webp", "image/webp"},
    {".avif", "image/avif"},
    {".bmp", "image/bmp"},
    {".ico", "image/x-icon"},
    {".woff", "font/woff"},
    {".woff2", "font/woff2"},
    {".ttf", "font/ttf"},
    {".otf", "font/otf"},
    {".mp3", "audio/mpeg"},
    {".m4a", "audio/mp4"},
    {".wav", "audio/wav"},
    {".ogg", "audio/ogg"},
    {".mp4", "video/mp4"},
    {".webm", "video/webm"},
    {".mov", "video/quicktime"},
    {".ogv", "video/ogg"},
}};

}  // namespace

std::string_view content_type_of(std::string_view path) {
  for (const auto& [ending, type] : content_types) {
    if (path.size() >= ending.size() && base::equal_no_case(path.substr(path.size() - ending.size()), ending)) {
      return type;
    }
  }
  return "application/octet-stream";
}

}  // namespace tapedeck::http
