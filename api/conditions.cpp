#include "api/conditions.h"

#include <array>
#include <string_view>

namespace tapedeck::api {
namespace {

constexpr std::array<std::string_view, 6> names = {
    "If-Match", "If-None-Match", "If-Modified-Since", "If-Unmodified-Since", "Range", "If-Range"};

}  // namespace

std::string conditions_of(const http::Headers& request) {
  std::string text;
  for (const std::string_view name : names) {
    for (const std::string_view value : request.all(name)) text.append(name).append(": ").append(value).append("\n");
  }
  return text;
}

bool answers_condition(int status) { return status == 304 || status == 412 || status == 206 || status == 416; }

}  // namespace tapedeck::api
