#include "proxy/read_only_device.h"

#include <utility>

#include "api/envelope.h"
#include "api/write_guard.h"

namespace tapedeck::proxy {

http::Response write_refusal() {
  http::Response answer;
  answer.headers.add("Content-Type", api::json_content_type);
  answer.headers.add("X-Tapedeck-Blocked", "write");
  answer.body = api::error_envelope(api::ErrorCode::no_permission,
                                    R"({"tapedeck":{"hint":"record with --allow-writes, or without --block-writes",)"
                                    R"("reason":"a call that changes the device was not sent"}})");
  return answer;
}

void ReadOnlyDevice::forward(std::shared_ptr<http::Exchange> exchange, http::Request head, std::string_view body,
                             bool /*is_read: it is judged here*/, std::shared_ptr<http::RelayClient> client) {
  http::Request whole = head;
  whole.body = body;
  if (exchange->body_is_open() || api::WriteGuard::effect(whole, base_path_) != api::Effect::read) {
    return exchange->respond(write_refusal());
  }
  device_.forward(std::move(exchange), std::move(head), body, true, std::move(client));
}

}  // namespace tapedeck::proxy
