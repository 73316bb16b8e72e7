// Feeds arbitrary requests to the key builder. Input: the target, a line of Content-Type, and then the body.

#include <stdexcept>
#include <string>

#include "api/call.h"
#include "api/envelope.h"
#include "api/request_key.h"
#include "api/write_guard.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace tapedeck;
using fuzz::must;

bool is_printable(std::string_view text) {
  return text.find('\n') == std::string_view::npos && text.find('\0') == std::string_view::npos;
}

void check_call(const api::Call& call, const api::KeyPolicy& policy) {
  const std::string text = policy.key(call).text;
  must(is_printable(text), "a key is one line");
  (void)api::WriteGuard::effect(call);
  if (const auto parts = call.parts()) {
    for (const api::Call& part : *parts) must(is_printable(policy.key(part).text), "a part's key is one line");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string_view text = fuzz::text_of(data, size);
  http::Request request;
  request.target = "/" + std::string(fuzz::take_line(text));
  const std::string_view type = fuzz::take_line(text);
  request.method = type.empty() ? "GET" : "POST";
  if (!type.empty()) request.headers.add("Content-Type", type);
  request.body = text;

  const api::KeyPolicy policy = api::KeyPolicy::current();
  const api::RequestKey key = policy.key(request, "/dsm", {});
  must(is_printable(key.text), "a key is one line");
  must(key.text == policy.key(request, "/dsm", {}).text, "a key is a function of its request");
  const api::RequestKey again = api::RequestKey::parse(key.text);
  must(again.text == key.text, "taking a key apart keeps its text");
  must(!key.is_call || again.items() == key.items(), "taking a key apart gives its items");
  (void)api::canonical_value(request.body);
  if (const auto call = api::Call::from(request, "/dsm")) check_call(*call, policy);
  (void)api::verdict(request.body);
  return 0;
}
