#include "inspector/page_files.h"

#include <algorithm>

#include "http/message/content_type.h"
#include "inspector/page_bytes.h"

namespace tapedeck::inspector {
namespace {

constexpr std::string_view folder = "/page/";

std::vector<PageFile> typed_files() {
  std::vector<PageFile> files;
  for (const auto& [name, bytes] : page_bytes()) files.push_back({name, http::content_type_of(name), bytes});
  return files;
}

}  // namespace

const PageFile* find_page_file(std::string_view path) {
  static const std::vector<PageFile> files = typed_files();
  if (path != "/" && !path.starts_with(folder)) return nullptr;
  const std::string_view name = path == "/" ? "index.html" : path.substr(folder.size());
  const auto found = std::find_if(files.begin(), files.end(), [&](const PageFile& file) { return file.name == name; });
  return found == files.end() ? nullptr : &*found;
}

const std::vector<std::pair<std::string_view, std::string_view>>& security_headers() {
  static const std::vector<std::pair<std::string_view, std::string_view>> lines = {
      {"Cache-Control", "no-store"},
      {"Content-Security-Policy",
       "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'; base-uri 'none'; "
       "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"Referrer-Policy", "no-referrer"},
      {"X-Content-Type-Options", "nosniff"},
  };
  return lines;
}

}  // namespace tapedeck::inspector
