// Generated pairs of requests that differ in one place outside of what keys leave out. Neither may ever get the other's
// response. With TAPEDECK_LONG there are 20,000 pairs.

#include <array>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <functional>
#include <random>

#include "http/message/urlencoded.h"
#include "tests/replay/asking.h"
#include "tests/support/needs.h"

namespace tapedeck::replay {
namespace {

using testing::Recorded;

constexpr std::array<std::string_view, 32> param_names = {
    "a",          "id",         "limit",        "path",          "additional", "folder_path", "name",
    "items",      "passwd",     "password",     "otp_code",      "device_id",  "device_name", "did",
    "client",     "passphrase", "token",        "sharing_token", "key",        "account",     "secret",
    "ik_message", "mimeType",   "session",      "username",      "api_key",    "sharingid",   "rand",
    "x[]",        "data",       "__cIpHeRtExT", "cookie"};
constexpr std::array<std::string_view, 6> prefixes = {"", "", "/photo", "/drive", "/mo/sharing", "/~tom/photo"};
constexpr std::array<std::string_view, 4> behinds = {"", "/one.txt", "/two.txt", "/folder/one.txt"};
constexpr std::array<std::string_view, 6> part_heads = {"",
                                                        "; filename*=UTF-8''one.txt",
                                                        "; filename*=UTF-8''two.txt",
                                                        "\r\nContent-Type: application/json",
                                                        "\r\nContent-Type: text/csv",
                                                        "\r\nContent-Transfer-Encoding: base64"};
constexpr std::array<std::string_view, 4> methods = {"get", "list", "load", "check"};
constexpr std::array<std::string_view, 5> types = {"", "text/plain", "application/octet-stream", "application/json",
                                                   "application/x-www-form-urlencoded"};

struct Value {
  std::string text;
  bool is_json = false;  ///< not a string
};

/// A request before it is serialized.
struct Sketch {
  enum class Shape { query, form, untyped_form, json, multipart, opaque, no_call, script } shape = Shape::query;
  std::string verb = "GET", prefix, api, version = "1", method = "get", type, body;
  std::string behind;     ///< the path behind the script
  std::string part_head;  ///< further headers of multipart fields
  std::vector<std::pair<std::string, Value>> params;
};

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  Sketch sketch(std::size_t number) {
    Sketch made;
    made.shape = static_cast<Sketch::Shape>(below(8));
    made.api = "SVC.Pair" + std::to_string(number);
    made.prefix = prefixes[below(prefixes.size())];
    made.method = methods[below(methods.size())];
    made.type = types[below(types.size() - 1)];
    // A request that is not a call counts as a write unless it is a GET, and writes that differ only in secrets are one
    // sequence.
    const bool is_post = made.shape != Sketch::Shape::query && made.shape != Sketch::Shape::no_call;
    made.verb = is_post ? "POST" : "GET";
    made.body = "\x02" + word(30);
    for (std::size_t n = below(5); n > 0; --n) {
      made.params.emplace_back(std::string(param_names[below(param_names.size())]), value());
    }
    return made;
  }

  /// Returns a copy that differs in one place, and a description of that place.
  std::pair<Sketch, std::string> changed(const Sketch& sketch) {
    for (;;) {
      Sketch other = sketch;
      const std::string how = change(other);
      if (!how.empty()) return {other, how};
    }
  }

 private:
  std::size_t below(std::size_t limit) { return static_cast<std::size_t>(random_() % limit); }

  std::string word(std::size_t length) {
    constexpr std::string_view bytes = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    std::string text;
    for (std::size_t n = 1 + below(length); n > 0; --n) text += bytes[below(bytes.size())];
    return text;
  }

  Value value() {
    switch (below(9)) {
      case 7:
        return {below(2) == 0 ? "Hello, world" : "Hello,world", false};
      case 8:
        return {below(2) == 0 ? R"("\"[1]\"")" : R"("[1]")", true};
      case 0:
        return {std::to_string(below(below(2) == 0 ? 1000 : 1'000'000)), true};
      case 1:
        return {below(2) == 0 ? "true" : "false", true};
      case 2:
        return {"[\"" + word(6) + "\",\"" + word(6) + "\"]", true};
      case 3:
        return {"{\"k\":\"" + word(6) + "\",\"n\":[" + std::to_string(below(99)) + "]}", true};
      case 4:
        return {"/" + word(8) + "/" + word(8) + " x.txt", false};
      default:
        return {word(16) + "-" + std::to_string(below(10)) + "Q", false};
    }
  }

  std::string change(Sketch& sketch) {
    using Shape = Sketch::Shape;
    const bool has_params = !sketch.params.empty() && sketch.shape != Shape::opaque;
    auto& param = sketch.params.empty() ? spare_ : sketch.params[below(sketch.params.size())];
    switch (below(10)) {
      case 8: {
        const std::string before = sketch.behind;
        sketch.behind = behinds[below(behinds.size())];
        const bool is_script = sketch.shape != Shape::no_call && sketch.shape != Shape::opaque;
        return is_script && sketch.behind != before ? "path behind the script" : "";
      }
      case 9: {
        const std::string before = sketch.part_head;
        sketch.part_head = part_heads[below(part_heads.size())];
        const bool has_fields = sketch.shape == Shape::multipart && !sketch.params.empty();
        return has_fields && sketch.part_head != before ? "headers of fields" : "";
      }
      case 0:
      case 1: {
        const std::string before = param.second.text;
        param.second = value();
        const bool differs = api::canonical_value(param.second.text) != api::canonical_value(before);
        return has_params && differs ? "value of " + param.first : "";
      }
      case 2: {
        const std::string before = param.first;
        param.first = param_names[below(param_names.size())];
        return has_params && param.first != before ? "name " + before + " to " + param.first : "";
      }
      case 3:
        sketch.params.emplace_back(std::string(param_names[below(param_names.size())]), value());
        return sketch.shape != Shape::opaque ? "one more: " + sketch.params.back().first : "";
      case 4:
        if (sketch.shape == Shape::no_call) return "";
        sketch.version = "2";
        return "version";
      case 5:
        if (sketch.shape == Shape::no_call) return "";
        sketch.method += "x";
        return "method";
      case 6: {
        const std::string before = sketch.prefix;
        sketch.prefix = prefixes[below(prefixes.size())];
        return sketch.prefix != before ? "prefix" : "";
      }
      default:
        sketch.body += "y";
        return sketch.shape == Shape::opaque || sketch.shape == Shape::no_call ? "body" : "";
    }
  }

  std::mt19937 random_;
  std::pair<std::string, Value> spare_;
};

std::string form_text(const std::vector<std::pair<std::string, std::string>>& pairs) {
  std::string text;
  for (const auto& [name, value] : pairs) {
    text.append(text.empty() ? "" : "&")
        .append(http::percent_encode(name))
        .append("=")
        .append(http::percent_encode(value));
  }
  return text;
}

std::string json_text(const Sketch& sketch) {
  std::string text =
      "{\"api\":\"" + sketch.api + "\",\"version\":" + sketch.version + ",\"method\":\"" + sketch.method + "\"";
  for (const auto& [name, value] : sketch.params) {
    text += ",\"" + name + "\":" + (value.is_json ? value.text : "\"" + value.text + "\"");
  }
  return text + "}";
}

http::Request request_of(const Sketch& sketch) {
  using Shape = Sketch::Shape;
  std::vector<std::pair<std::string, std::string>> own = {
      {"api", sketch.api}, {"version", sketch.version}, {"method", sketch.method}};
  std::vector<std::pair<std::string, std::string>> all = own;
  std::vector<std::pair<std::string, std::string>> params;
  for (const auto& [name, value] : sketch.params) params.emplace_back(name, value.text);
  all.insert(all.end(), params.begin(), params.end());
  http::Request request;
  request.method = sketch.verb;
  request.target = sketch.prefix + "/webapi/entry.cgi" + sketch.behind;
  const auto set_body = [&](std::string_view type, std::string body) {
    if (!type.empty()) request.headers.add("Content-Type", type);
    request.body = std::move(body);
  };
  switch (sketch.shape) {
    case Shape::query:
      request.target += "?" + form_text(all);
      break;
    case Shape::script:
      request.target = sketch.prefix + "/scripts/run.php" + sketch.behind + "?" + form_text(all);
      break;
    case Shape::form:
      set_body("application/x-www-form-urlencoded", form_text(all));
      break;
    case Shape::untyped_form:
      set_body(sketch.type, form_text(all));
      break;
    case Shape::json:
      set_body(sketch.type, json_text(sketch));
      break;
    case Shape::multipart: {
      std::string body;
      for (const auto& [name, value] : all) {
        body += "--frontier\r\nContent-Disposition: form-data; name=\"" + name + "\"" + sketch.part_head + "\r\n\r\n" +
                value + "\r\n";
      }
      set_body("multipart/form-data; boundary=frontier", body + "--frontier--\r\n");
      break;
    }
    case Shape::opaque:
      request.target += "?" + form_text(own);
      set_body(sketch.type, sketch.body);
      break;
    case Shape::no_call:
      request.target = sketch.prefix + "/files/" + sketch.api + "?" + form_text(params);
      set_body(sketch.type, sketch.body);
      break;
  }
  return request;
}

struct Pair {
  Sketch first, second;
  std::string how;
};

}  // namespace

TEST_CASE("matching: two requests that differ in one place never get each other's response") {
  const std::size_t pairs = tests::is_long() ? 20'000 : 600;
  constexpr std::size_t in_one_cassette = 300;
  Generator generator(20261126);
  std::size_t recorded = 0;
  for (std::size_t from = 0; from < pairs; from += in_one_cassette) {
    std::vector<Pair> all;
    std::vector<Recorded> rows;
    for (std::size_t i = from; i < std::min(from + in_one_cassette, pairs); ++i) {
      Pair& pair = all.emplace_back();
      pair.first = generator.sketch(i);
      std::tie(pair.second, pair.how) = generator.changed(pair.first);
      for (const Sketch* const one : {&pair.first, &pair.second}) {
        Recorded row = testing::record_target("GET", "/", "");
        row.interaction.request = request_of(*one);
        row.interaction.response.body = one == &pair.first ? "first of the pair" : "second of the pair";
        rows.push_back(std::move(row));
      }
    }
    const auto cassette = testing::cassette_with(std::move(rows));
    ReplayHandler handler(playing(cassette), 1);
    for (const Pair& pair : all) {
      CAPTURE(pair.how, request_of(pair.first).target, request_of(pair.first).body, request_of(pair.second).target,
              request_of(pair.second).body);
      const http::Response second = ask(handler, request_of(pair.second)), first = ask(handler, request_of(pair.first));
      REQUIRE(second.body != "first of the pair");
      REQUIRE(first.body != "second of the pair");
      recorded += (second.body == "second of the pair" ? 1 : 0) + (first.body == "first of the pair" ? 1 : 0);
    }
  }
  // Only requests that differ in nothing but secrets may miss.
  CHECK(recorded > 2 * pairs * 8 / 10);
}

}  // namespace tapedeck::replay
