#pragma once
// Helpers that send requests to a ReplayHandler.

#include <memory>
#include <string>
#include <string_view>

#include "replay/replay_handler.h"
#include "tests/support/cassette_fixture.h"
#include "tests/support/fake_exchange.h"

namespace tapedeck::replay {

inline ReplayOptions playing(const testing::TestCassette& cassette) {
  ReplayOptions options;
  options.cassettes = {cassette.path()};
  return options;
}

inline http::Response ask(ReplayHandler& handler, http::Request request) {
  const auto exchange = std::make_shared<testing::FakeExchange>(std::move(request));
  handler.handle(exchange);
  return exchange->gone() ? http::Response{0, "aborted", {}, {}} : exchange->response();
}

inline http::Response get(ReplayHandler& handler, std::string_view target, http::Headers headers = {}) {
  http::Request request;
  request.method = "GET";
  request.target = target;
  request.headers = std::move(headers);
  return ask(handler, std::move(request));
}

inline http::Response post(ReplayHandler& handler, std::string_view target, std::string_view form) {
  http::Request request;
  request.method = "POST";
  request.target = target;
  request.headers.add("Content-Type", "application/x-www-form-urlencoded");
  request.body = form;
  return ask(handler, std::move(request));
}

/// Sends a call that is written like its key: "SVC.Core.Network/1/get?items=ALL".
inline http::Response call(ReplayHandler& handler, std::string_view text, http::Headers headers = {}) {
  return get(handler, testing::target_of(text), std::move(headers));
}

inline std::string outcome(const http::Response& response) {
  return std::string(response.headers.first("X-Tapedeck-Outcome").value_or("none"));
}

/// Returns the text between the quotes after `"key":"`, or an empty text.
inline std::string string_in(std::string_view body, std::string_view key) {
  const std::string mark = "\"" + std::string(key) + "\":\"";
  const std::size_t at = body.find(mark);
  if (at == std::string_view::npos) return {};
  const std::size_t begin = at + mark.size();
  return std::string(body.substr(begin, body.find('"', begin) - begin));
}

/// Logs in and returns the session ID.
inline std::string log_in(ReplayHandler& handler, std::string_view account) {
  return string_in(call(handler, "SVC.API.Auth/6/login?account=" + std::string(account) + "&passwd=made-up").body,
                   "sid");
}

}  // namespace tapedeck::replay
