#include "api/identity_headers.h"

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"

namespace tapedeck::api {
namespace {

/// Sharing links of a device have their ID here, and a server that manages others forwards a request to the one that is
/// named here (docs/device-notes.md, "Login and sessions").
constexpr std::array<std::string_view, 2> known_names = {"x-syno-sharing", "x-syno-tunnel-route"};

constexpr auto never_names = std::to_array<std::string_view>({
    // About the client and its session.
    "authorization",
    "cookie",
    "cookie2",
    "dnt",
    "from",
    "origin",
    "priority",
    "referer",
    "save-data",
    "upgrade-insecure-requests",
    "user-agent",
    "x-requested-with",
    "x-syno-hash",
    "x-syno-token",
    // About the message, its connection, and caches.
    "cache-control",
    "connection",
    "date",
    "expect",
    "forwarded",
    "host",
    "http2-settings",
    "keep-alive",
    "max-forwards",
    "pragma",
    "range",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
    "x-real-ip",
    // IDs of a single request, for traces.
    "b3",
    "baggage",
    "correlation-id",
    "newrelic",
    "request-id",
    "sentry-trace",
    "traceparent",
    "tracestate",
    "uber-trace-id",
    "x-amzn-trace-id",
    "x-cloud-trace-context",
    "x-correlation-id",
    "x-request-id",
});

constexpr auto never_families = std::to_array<std::string_view>(
    {"accept", "content-", "if-", "proxy-", "sec-", "x-b3-", "x-datadog-", "x-forwarded-", "x-tapedeck-"});

constexpr std::size_t longest_bit = 63;

std::uint64_t length_bit(std::string_view name) { return std::uint64_t{1} << std::min(name.size(), longest_bit); }

std::map<std::string_view, std::string_view> lines_of(std::string_view text) {
  std::map<std::string_view, std::string_view> lines;
  while (!text.empty()) {
    std::string_view line = base::take_until(text, '\n');
    const std::string_view name = base::take_until(line, ':');
    lines[name] = line;
  }
  return lines;
}

}  // namespace

bool is_never_identity(std::string_view name) {
  const std::string folded = base::fold(name);
  const auto is_family = [&](std::string_view family) { return folded.starts_with(family); };
  // HTTP/2 writes the request line as such headers.
  return folded.starts_with(':') || std::find(never_names.begin(), never_names.end(), folded) != never_names.end() ||
         std::any_of(never_families.begin(), never_families.end(), is_family);
}

std::span<const std::string_view> known_identity_headers() { return known_names; }

IdentityHeaders IdentityHeaders::known() {
  IdentityHeaders headers;
  for (const std::string_view name : known_names) headers.add(name);
  return headers;
}

void IdentityHeaders::add(std::string_view name) {
  if (is_never_identity(name) || contains(name)) return;
  std::string folded = base::fold(name);
  lengths_ |= length_bit(folded);
  names_.insert(std::lower_bound(names_.begin(), names_.end(), folded), std::move(folded));
}

const std::string* IdentityHeaders::find(std::string_view name) const {
  if ((lengths_ & length_bit(name)) == 0) return nullptr;
  const auto found = std::find_if(names_.begin(), names_.end(),
                                  [&](const std::string& one) { return base::equal_no_case(one, name); });
  return found == names_.end() ? nullptr : &*found;
}

std::vector<HeaderValue> IdentityHeaders::values_of(const http::Headers& headers) const {
  std::vector<HeaderValue> values;
  for (const http::Header& line : headers) {
    const std::string* const name = find(line.name);
    if (name == nullptr) continue;
    const auto place = std::lower_bound(values.begin(), values.end(), *name,
                                        [](const HeaderValue& one, std::string_view it) { return one.name < it; });
    if (place != values.end() && place->name == *name) {
      place->value.append(", ").append(line.value);
    } else {
      values.insert(place, {*name, line.value});
    }
  }
  return values;
}

void append_header(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(":").append(value).append("\n");
}

std::string header_piece(std::string_view piece) {
  std::string text(piece);
  base::replace_all(text, "%", "%25");
  base::replace_all(text, "<", "%3C");
  return text;
}

std::string header_hole(std::string_view label) { return "<" + std::string(label) + ">"; }

std::string differing_headers(std::string_view a, std::string_view b) {
  const auto left = lines_of(a), right = lines_of(b);
  std::map<std::string_view, int> names;
  for (const auto& [name, value] : left) {
    const auto other = right.find(name);
    if (other == right.end() || other->second != value) names[name] = 1;
  }
  for (const auto& [name, value] : right) {
    if (!left.contains(name)) names[name] = 1;
  }
  std::string text;
  for (const auto& [name, count] : names) text.append(text.empty() ? "" : ", ").append(name);
  return text;
}

}  // namespace tapedeck::api
