#pragma once
// Exchanges the device's address and the recorder's in text bodies (docs/recording.md, "Addresses in bodies").

#include <functional>
#include <memory>
#include <string>

#include "http/message/origin_text.h"
#include "http/server/forwarded_exchange.h"

namespace tapedeck::proxy {

/// Puts the device's address in place of the recorder's (`own`, an origin with or without a path) in the target and in
/// a whole text body, so that a client that writes a URL back writes the device's. Other bodies stay unchanged.
void address_device(http::Request& request, std::string_view own, const std::string& device, bool has_whole_body);

/// Puts the recorder's address in place of the device's in complete text bodies for the client. A response that is
/// passed on live, and a part of a body, stay unchanged.
class AddressedExchange final : public http::ForwardedExchange {
 public:
  /// Receives another origin of the device's host in a body.
  using OtherOrigin = std::function<void(const std::string& origin)>;
  AddressedExchange(std::shared_ptr<http::Exchange> exchange, const std::string& device, std::string own,
                    OtherOrigin other)
      : ForwardedExchange(std::move(exchange)), device_(device), own_(std::move(own)), other_(std::move(other)) {}

  using ForwardedExchange::respond;
  void respond(http::Response response) override;
  void respond(http::Response head, http::SharedBytes body) override;

 private:
  /// Returns the changed body, or nothing if it stays. Removes the Content-Encoding of a changed one.
  [[nodiscard]] std::optional<std::string> changed(http::Response& head, std::string_view body) const;

  http::OriginText device_;
  std::string own_;
  OtherOrigin other_;
};

}  // namespace tapedeck::proxy
