#pragma once
// Finds the absolute URLs of one server in texts, and puts another server in their place (docs/recording.md, "Addresses
// in bodies").

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "http/message/message.h"
#include "http/message/url.h"

namespace tapedeck::http {

/// The address of a server as URLs in texts begin with it: "https://nas.example:5001", with or without a default port,
/// in any case, and also as `https:\/\/…` of a JSON string and as `https%3A%2F%2F…` of a parameter.
class OriginText {
 public:
  /// `address` is an origin, or an origin with a path, without a slash at the end. An address with another
  /// scheme than http or https is found nowhere.
  explicit OriginText(std::string_view address);

  [[nodiscard]] bool empty() const { return server_.host.empty(); }
  /// Returns the text with `address` in place of this one, spelled as the text spells it, or nothing if the text does
  /// not contain it.
  [[nodiscard]] std::optional<std::string> replaced(std::string_view text, std::string_view address) const;
  [[nodiscard]] bool is_in(std::string_view text) const;
  /// Calls visit(origin) for each URL with the same host and another scheme or port. Returns true if `address` is in
  /// the text, too.
  bool each_other(std::string_view text, const std::function<void(std::string origin)>& visit) const;

 private:
  struct Match {
    std::size_t begin = 0, end = 0;
    std::string_view colon, slash;  ///< how the text spells them
    BaseUrl server;
  };
  /// Returns the URL whose host is at `host`, or nothing if there is none.
  [[nodiscard]] std::optional<Match> match_at(std::string_view text, std::size_t host) const;
  void each(std::string_view text, const std::function<bool(const Match&)>& visit) const;
  [[nodiscard]] bool is_this(std::string_view text, Match& match) const;

  BaseUrl server_;
  std::string host_;  ///< in lower case, with the brackets of an IPv6 address
};

/// Returns true if the Content-Type is that of a text in which clients look for URLs: JSON, XML, HTML, scripts, plain
/// text, forms, and playlists. Without a type, the beginning of `body` decides.
[[nodiscard]] bool is_text(const Headers& headers, std::string_view body);

}  // namespace tapedeck::http
