#include "api/login_ids.h"

#include "api/json_spans.h"
#include "base/text.h"

namespace tapedeck::api {

std::vector<std::string> login_ids(const http::Response& answer) {
  std::vector<std::string> ids;
  const auto data = json_member(answer.body, "data");
  const auto sid = data ? json_member(*data, "sid") : std::nullopt;
  if (sid && sid->size() > 2 && sid->front() == '"') ids.emplace_back(sid->substr(1, sid->size() - 2));
  for (const std::string_view line : answer.headers.all("Set-Cookie")) {
    const std::string_view pair = base::trim(line.substr(0, line.find(';')));
    if (pair.starts_with("id=") && pair.size() > 3) ids.emplace_back(pair.substr(3));
  }
  return ids;
}

}  // namespace tapedeck::api
