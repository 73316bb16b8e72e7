// Exchanges the recorded device's address and the server's (docs/recording.md, "Addresses in bodies").

#include "api/scope_paths.h"
#include "http/message/origin_text.h"
#include "replay/stages/stages.h"

namespace tapedeck::replay {
namespace {

/// Returns the server's address as the client of this request wrote it; empty if it did not.
std::string server_address(const http::Request& request, bool secure) {
  const std::string_view host = request.headers.first("Host").value_or("");
  return host.empty() ? std::string() : (secure ? "https://" : "http://") + std::string(host);
}

/// Returns true if the request may contain the address, so that most requests are not searched.
bool may_contain(const http::Request& request, std::string_view address) {
  const std::string_view host = address.substr(address.find("//") + 2);
  const std::string_view name = host.substr(0, host.rfind(':'));
  return request.target.find(name) != std::string::npos || request.body.find(name) != std::string::npos;
}

}  // namespace

void name_server(const Services& services, const RequestContext& context, Reply& reply) {
  constexpr int partial_content = 206;
  const Playable* const playable = reply.played ? reply.played->playable.get() : nullptr;
  if (playable == nullptr || playable->device().empty() || playable->status() == partial_content) return;
  const ParsedRequest& parsed = context.parsed();
  // Without an address, the URL becomes a path.
  const std::string own = server_address(parsed.request(), services.options.secure) + parsed.scope_segment();
  std::string room;
  auto body = http::OriginText(playable->device()).replaced(reply.body_in(room), own);
  if (body) reply.set_body(*std::move(body));
}

std::shared_ptr<http::Request> with_device(const http::Request& request, std::string_view device, bool secure) {
  if (device.empty()) return nullptr;
  const std::string own = server_address(request, secure);
  if (own.empty() || !may_contain(request, own)) return nullptr;
  auto changed = std::make_shared<http::Request>(request);
  const bool has_text = !request.body.empty() && http::is_text(request.headers, request.body);
  const std::string segment(api::scope_segment(request.target));
  for (const std::string& address : {own + segment, own}) {
    const http::OriginText server(address);
    if (auto target = server.replaced(changed->target, device)) changed->target = *std::move(target);
    auto body = has_text ? server.replaced(changed->body, device) : std::nullopt;
    if (body) changed->body = *std::move(body);
  }
  return changed;
}

}  // namespace tapedeck::replay
