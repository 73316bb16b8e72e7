#include "journal/refused_entry.h"

#include <algorithm>

#include "api/call.h"
#include "base/utf8.h"
#include "http/message/urlencoded.h"

namespace tapedeck::journal {
namespace {

constexpr std::size_t longest_name = 80, longest_reason = 500, longest_path = 200;
constexpr int forbidden = 403;

}  // namespace

std::string readable_name(std::string_view text) {
  std::string result = base::shortened(text, longest_name);
  std::replace_if(
      result.begin(), result.end(), [](char c) { return (c >= '\0' && c < ' ') || c == '\x7f'; }, '?');
  return result;
}

JournalEntry refused_entry(const http::Request& request, std::string_view reason) {
  JournalEntry entry;
  entry.verb = readable_name(request.method);
  entry.key = entry.verb + " " + base::shortened(http::split_target(request.target).path, longest_path);
  if (const auto call = api::Call::from(request); call && call->complete()) {
    entry.api = readable_name(call->api());
    entry.version = readable_name(call->version());
    entry.method = readable_name(call->folded_method());
    entry.key = entry.api + "/" + entry.version + "/" + entry.method;
  }
  entry.outcome = "refused";
  entry.status = forbidden;
  entry.reason = base::shortened(reason, longest_reason);
  return entry;
}

}  // namespace tapedeck::journal
