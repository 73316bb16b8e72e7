#include "journal/refused_entry.h"

#include "api/call.h"
#include "base/utf8.h"
#include "http/message/urlencoded.h"

namespace tapedeck::journal {
namespace {

constexpr std::size_t longest_name = 80, longest_reason = 500, longest_path = 200;
constexpr int forbidden = 403;

/// Cuts a text between words, because a piece of a secret is not found in it any more.
std::string cut_between_words(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  const std::size_t end = text.find_last_of("/ ", most);
  return std::string(text.substr(0, end == std::string_view::npos ? 0 : end + 1)) + "…";
}

}  // namespace

std::string readable_name(std::string_view text) { return base::printable(cut_between_words(text, longest_name)); }

JournalEntry refused_entry(const http::Request& request, std::string_view reason) {
  JournalEntry entry;
  entry.verb = readable_name(request.method);
  entry.key = entry.verb + " " + cut_between_words(http::split_target(request.target).path, longest_path);
  if (const auto call = api::Call::from(request); call && call->complete()) {
    entry.api = readable_name(call->api());
    entry.version = readable_name(call->version());
    entry.method = readable_name(call->folded_method());
    entry.key = entry.api + "/" + entry.version + "/" + entry.method;
  }
  entry.outcome = "refused";
  entry.status = forbidden;
  entry.reason = cut_between_words(reason, longest_reason);
  return entry;
}

}  // namespace tapedeck::journal
