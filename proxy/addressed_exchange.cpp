#include "proxy/addressed_exchange.h"

#include <utility>

#include "base/text.h"
#include "scrubbers/text/decode.h"

namespace tapedeck::proxy {
namespace {

constexpr std::size_t longest_decoded = 4u << 20;  // other clients wait meanwhile

/// Returns true for a text, and for fields of a form without a file.
bool has_text(const http::Request& request) {
  if (request.headers.contains("Content-Encoding")) return false;
  if (!base::fold(http::media_type(request.headers)).starts_with("multipart/")) {
    return http::is_text(request.headers, request.body);
  }
  return request.body.find("filename") == std::string::npos && request.body.find('\0') == std::string::npos;
}

}  // namespace

void address_device(http::Request& request, std::string_view own, const std::string& device, bool has_whole_body) {
  const http::OriginText recorder(own);
  if (auto target = recorder.replaced(request.target, device)) request.target = *std::move(target);
  if (request.body.empty() || !has_whole_body || !has_text(request)) return;
  if (auto body = recorder.replaced(request.body, device)) request.body = *std::move(body);
}

std::optional<std::string> AddressedExchange::changed(http::Response& head, std::string_view body) const {
  constexpr int partial_content = 206;
  if (body.empty() || head.status == partial_content) return std::nullopt;
  std::string decoded;
  if (head.headers.contains("Content-Encoding")) {
    if (!http::is_text(head.headers, {})) return std::nullopt;
    scrubbers::DecodedBody plain = scrubbers::decode_body(head.headers, std::string(body), longest_decoded);
    if (!plain.ok) return std::nullopt;
    decoded = std::move(plain.body);
    body = decoded;
  } else if (!http::is_text(head.headers, body)) {
    return std::nullopt;
  }
  if (!device_.each_other(body, other_)) return std::nullopt;
  auto made = device_.replaced(body, own_);
  if (!made) return std::nullopt;
  head.headers.erase("Content-Encoding");
  head.headers.erase("Content-Length");
  return made;
}

void AddressedExchange::respond(http::Response response) {
  if (auto body = changed(response, response.body)) response.body = *std::move(body);
  inner_->respond(std::move(response));
}

void AddressedExchange::respond(http::Response head, http::SharedBytes body) {
  auto made = changed(head, body.bytes);
  if (!made) return inner_->respond(std::move(head), std::move(body));
  head.body = *std::move(made);
  inner_->respond(std::move(head));
}

}  // namespace tapedeck::proxy
