#include "cli/commands/overlay_block.h"

#include "api/call.h"
#include "api/envelope.h"
#include "api/json_spans.h"
#include "api/request_key.h"
#include "base/utf8.h"
#include "cli/console/usage_error.h"
#include "http/message/urlencoded.h"
#include "replay/overlays/overlay_writer.h"
#include "tools/content/marks.h"

namespace tapedeck::cli {
namespace {

using replay::toml_lines;
using replay::toml_text;

std::string unescaped(std::string_view text) { return http::percent_decode(text, false); }

/// Returns the body with marks in place of values of its session. Other redactions stay placeholders, which replay
/// serves as they are.
std::string marked_body(const scrubbers::InteractionRecord& record) {
  std::vector<scrubbers::Redaction> rows = tools::rows_of(record.redactions, scrubbers::Part::response_body);
  std::erase_if(rows, [](const auto& row) { return tools::session_value(row).empty() || !row.encoding.empty(); });
  return tools::with_marks(record.response.body, rows);
}

}  // namespace

replay::OverlaySet::Candidates candidates_for(const replay::OverlaySet& set, const replay::OverlaySet& login_set,
                                              const std::string& key) {
  const api::RequestKey parsed = api::RequestKey::parse(key);
  if (!parsed.is_call) {
    const std::size_t begin = key.find(' ') + 1;
    const std::string target = key.substr(begin, key.find(' ', begin) - begin);
    return set.candidates({nullptr, parsed.method, target});
  }
  std::vector<api::Param> params;
  for (const api::RequestKey::Item& item : parsed.items()) {
    api::Param param;
    param.name = unescaped(item.name);
    param.value = unescaped(item.value);
    params.push_back(std::move(param));
  }
  const api::Call call(parsed.api.full(), parsed.version, parsed.method, std::move(params), parsed.prefix);
  return (call.is_any_login() ? login_set : set).candidates({&call, "GET", ""});
}

std::string overlay_block(const std::string& key, std::string_view response) {
  const api::RequestKey parsed = api::RequestKey::parse(key);
  std::string block = "[[overlay]]\n";
  if (parsed.is_call) {
    const std::string prefix = parsed.prefix.empty() ? "" : "@" + parsed.prefix;
    block += "call = " + toml_text(parsed.api.rest + "/" + parsed.version + "/" + parsed.method + prefix) + "\n";
  } else {
    const std::size_t begin = key.find(' ') + 1;
    const std::string path = key.substr(begin, key.find_first_of("? ", begin) - begin);
    block += "path = " + toml_text(parsed.method + " " + path) + "\n";
  }
  std::string params;
  for (const api::RequestKey::Item& item : parsed.items()) {
    const std::string value = item.has_hole ? "*" : unescaped(item.value);
    params += (params.empty() ? " " : ", ") + toml_text(unescaped(item.name)) + " = " + toml_text(value);
  }
  if (!params.empty()) block += "params = {" + params + " }\n";
  block += response.empty() ? std::string_view("data = {}\n") : response;
  return block;
}

std::string response_lines(const cassettes::FullInteraction& found) {
  const scrubbers::InteractionRecord& record = found.record;
  const std::string body = marked_body(record);
  if (!base::is_utf8(body)) {
    throw UsageError(
        "the response is binary\nhint: store its bytes in a file next to the overlay and refer to it with `file`");
  }
  std::string lines;
  if (record.response.status != 200) lines += "status = " + std::to_string(record.response.status) + "\n";
  const auto data = api::json_member(body, "data");
  const auto verdict = api::verdict(body);
  if (data && verdict && verdict->success) return lines + "data = " + toml_lines(*data) + "\n";
  if (const auto type = record.response.headers.first("Content-Type"); type && *type != api::json_content_type) {
    lines += "headers = { Content-Type = " + toml_text(*type) + " }\n";
  }
  return lines + "json = " + toml_lines(body) + "\n";
}

}  // namespace tapedeck::cli
