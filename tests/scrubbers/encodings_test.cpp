// Tests the forms of secrets: encode(), shapes, and the search for a learned value in every form.

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <set>

#include "scrubbers/text/codec.h"
#include "tests/scrubbers/fixtures.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

const std::vector<std::string> deterministic_names{"percent",      "percent-lower",     "form",         "form-lower",
                                                   "percent-all",  "percent-all-lower", "json",         "json-slash",
                                                   "json-ascii",   "json-slash-ascii",  "json-unicode", "html",
                                                   "html-decimal", "html-hex",          "hex",          "HEX",
                                                   "hex-spaced",   "HEX-spaced",        "utf16le"};

std::string base64(std::string_view bytes, std::string_view alphabet, bool padded) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (k < count ? static_cast<std::uint8_t>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      if (k <= count) {
        out += alphabet[group >> (18 - 6 * k) & 63];
      } else if (padded) {
        out += '=';
      }
    }
  }
  return out;
}

const std::string_view standard = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const std::string_view url_safe = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

// Teaches a scrubber a password by a login.
void teach(Scrubber& scrubber, const std::string& value) {
  static_cast<void>(scrubber.scrub(post("/webapi/auth.cgi?api=SYNO.API.Auth&version=6&method=login",
                                        "application/x-www-form-urlencoded", "passwd=" + encode(value, "percent"))));
}

api::Interaction text_answer(std::string body) {
  api::Interaction interaction = get("/script.txt", std::move(body));
  interaction.response.headers.set("Content-Type", "text/plain");
  return interaction;
}

// Plants `written` in a text, scrubs it, and requires one redaction that restores exactly these bytes, or the value's
// place.
void check_found(const std::string& what, const std::string& value, const std::string& written, bool exact = true) {
  INFO(what << ": " << written);
  static std::map<std::string, std::unique_ptr<Scrubber>> taught;
  std::unique_ptr<Scrubber>& scrubber = taught[value];
  if (!scrubber) teach(*(scrubber = std::make_unique<Scrubber>(ScrubberOptions())), value);
  const std::string body = "before (" + written + ") behind";
  const ScrubbedInteraction scrubbed = scrubber->scrub(text_answer(body));
  const InteractionRecord& record = scrubbed.record();
  CHECK(rows_fit(record));
  REQUIRE(record.redactions.size() == 1);
  INFO(line_of(record.redactions[0]) << " in " << record.response.body);
  CHECK(record.response.body.find(written) == std::string::npos);
  if (exact) CHECK(restored(record, Part::response_body, {value}) == body);
}

}  // namespace

TEST_CASE("encodings: a learned value is found in every deterministic encoding and restored exactly") {
  for (const std::string& value : {sid, syno_token, device_id, passphrase, std::string("p%41ss w+rd/&<\"\\x")}) {
    check_found("as it is", value, value);
    for (const std::string& name : deterministic_names) check_found(name, value, encode(value, name));
  }
}

TEST_CASE("encodings: each encoding writes its own form") {
  const std::vector<std::pair<std::string, std::string>> forms{
      {"percent", "a%22%2F%C3%A9"},
      {"percent-lower", "a%22%2f%c3%a9"},
      {"percent-all", "%61%22%2F%C3%A9"},
      {"form", "a%22%2F%C3%A9"},
      {"json", "a\\\"/\xC3\xA9"},
      {"json-slash", "a\\\"\\/\xC3\xA9"},
      {"json-ascii", "a\\\"/\\u00e9"},
      {"json-unicode", R"(\u0061\u0022\u002f\u00e9)"},
      {"hex", "61222fc3a9"},
      {"HEX", "61222FC3A9"},
  };
  for (const auto& [name, form] : forms) {
    CAPTURE(name);
    CHECK(encode("a\"/\xC3\xA9", name) == form);
  }
}

TEST_CASE("encodings: a name is read back, and an unknown one is refused") {
  for (const char* const name :
       {"", "percent", "json>percent-all", "base64:1:2:0", "html>base64url:2:15:3", "json-any"}) {
    CAPTURE(name);
    const auto encoding = parse_encoding(name);
    REQUIRE(encoding.has_value());
    CHECK(to_string(*encoding) == name);
  }
  for (const char* const name :
       {"rot13", "percent:1", "percent:", ">json", "json>", "json:>html", "base64:3:0:0", "base64:1:2:0:0", "base64:1:",
        "base64:x", "base64:256:0:0", "Percent"}) {
    CAPTURE(name);
    CHECK_FALSE(parse_encoding(name).has_value());
  }
}

TEST_CASE("encodings: a learned value is found in two nested encodings") {
  const std::vector<std::string> free{"percent", "percent-all-lower", "form",    "json", "json-slash", "json-unicode",
                                      "html",    "html-decimal",      "html-hex"};
  for (const std::string& outer : free) {
    for (const std::string& inner : deterministic_names) {
      if (inner == "utf16le" && outer.starts_with("html-")) continue;  // entities represent characters, not bytes
      const std::string chain = outer + ">" + inner;
      for (const std::string& value : {sid, passphrase}) check_found(chain, value, encode(value, chain));
    }
  }
}

TEST_CASE("encodings: a learned value is found in base64 of every alignment, alphabet, and padding") {
  for (const std::string& value : {sid, syno_token, passphrase,
                                   std::string("\xff\xfb\xef\xbe\xff\xff\xfe\x3e\x7f"
                                               "abc")}) {
    for (std::size_t before = 0; before < 7; ++before) {
      for (std::size_t after = 0; after < 4; ++after) {
        for (const std::string_view alphabet : {standard, url_safe}) {
          for (const bool padded : {true, false}) {
            const std::string plain =
                std::string("uvwxyz~").substr(0, before) + value + std::string("{|}~").substr(0, after);
            check_found("base64", value, base64(plain, alphabet, padded));
          }
        }
      }
    }
  }
}

TEST_CASE("encodings: a learned value is found with any of its characters escaped") {
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    const std::string& value = round % 2 == 0 ? sid : passphrase;
    std::string percent;
    std::string json;
    std::string html;
    for (const char c : value) {
      const bool must_json = c == '"' || c == '\\';
      const std::string code = encode(std::string_view(&c, 1), round % 3 == 0 ? "percent-all" : "percent-all-lower");
      percent += random() % 3 == 0 || c == '%' || c == '+' || c == '&' ? code : std::string(1, c);
      const bool ascii = static_cast<unsigned char>(c) < 128;
      json += must_json || (ascii && random() % 3 == 0) ? encode(std::string_view(&c, 1), "json-unicode")
                                                        : std::string(1, c);
      html += ascii && random() % 3 == 0 ? encode(std::string_view(&c, 1), "html-hex") : std::string(1, c);
    }
    check_found("percent", value, percent, false);
    check_found("json", value, json, false);
    check_found("html", value, html, false);
    check_found("percent twice", value, encode(percent, "percent"), false);
    check_found("json in json", value, encode(json, "json"), false);
  }
}

TEST_CASE("encodings: every part of an interaction is searched") {
  const std::string written = encode(sid, "percent-all");
  const auto scrubbed_with = [&](auto&& plant) {
    Scrubber scrubber({});
    teach(scrubber, sid);
    api::Interaction interaction = get("/x");
    plant(interaction);
    const ScrubbedInteraction scrubbed = scrubber.scrub(interaction);
    CHECK(all_of(scrubbed.record()).find(written) == std::string::npos);
    CHECK(rows_fit(scrubbed.record()));
    REQUIRE(scrubbed.record().redactions.size() == 1);
    return scrubbed.record().redactions[0].part;
  };
  CHECK(scrubbed_with([&](auto& i) { i.request.target = "/files/" + written + "/a"; }) == Part::request_target);
  CHECK(scrubbed_with([&](auto& i) { i.request.headers.add("User-Agent", "x " + written); }) == Part::request_headers);
  CHECK(scrubbed_with([&](auto& i) { i.request.body = "{\"" + written + "\":1}"; }) == Part::request_body);
  CHECK(scrubbed_with([&](auto& i) { i.response.reason = "No " + written; }) == Part::response_reason);
  CHECK(scrubbed_with([&](auto& i) { i.response.headers.add("X-Any", written); }) == Part::response_headers);
  CHECK(scrubbed_with([&](auto& i) { i.response.body = "<p>" + written; }) == Part::response_body);
}

TEST_CASE("encodings: a shape names the narrowest alphabet, and its values are deterministic") {
  const std::vector<std::pair<std::string, std::string>> rows{
      {"", "0:digit"},          {"123456", "6:digit"},     {"0a1b2c", "6:hex"},
      {"0A1B", "4:HEX"},        {"0aZ9", "4:alnum"},       {"a-b_Z", "5:base64url"},
      {"ab+/9Z==", "8:base64"}, {"caf\xC3\xA9", "5:text"}, {"123e4567-e89b-12d3-a456-426614174000", "36:uuid"}};
  for (const auto& [value, shape] : rows) {
    CHECK(shape_of(value) == shape);
    const std::string made = make_of_shape(shape, "seed");
    CHECK(made.size() == value.size());
    CHECK(made == make_of_shape(shape, "seed"));
    if (value.size() > 3) CHECK(made != make_of_shape(shape, "other seed"));
  }
  for (int i = 0; i < 200; ++i) {
    const std::string seed = std::to_string(i);
    CHECK(shape_of(make_of_shape("32:hex", seed)) == "32:hex");
    CHECK(shape_of(make_of_shape("36:uuid", seed)) == "36:uuid");
    CHECK(shape_of(make_of_shape("64:base64url", seed)).starts_with("64:"));
    CHECK(make_of_shape("6:digit", seed)[0] != '0');
  }
  std::set<char> first_of_number, digits, first_of_hex;
  for (int i = 0; i < 200; ++i) {
    const std::string seed = "seed " + std::to_string(i);
    first_of_number.insert(make_of_shape("6:digit", seed)[0]);
    digits.insert(make_of_shape("1:digit", seed)[0]);
    first_of_hex.insert(make_of_shape("8:hex", seed)[0]);
  }
  CHECK(first_of_number.size() == 9);
  CHECK(digits.size() == 10);
  CHECK(first_of_hex.size() == 16);
  CHECK(make_of_shape("nonsense", "seed").empty());
}

TEST_CASE("encodings: decoded views map every position back") {
  View view;
  REQUIRE(decode_view(Codec::percent, "a%62c%zz%C3%A9%", view));
  CHECK(view.text == "abc%zz\xC3\xA9%");
  CHECK(view.map.raw_begin(1) == 1);
  CHECK(view.map.raw_end(2) == 4);
  CHECK(view.map.raw_begin(2) == 4);
  CHECK(view.map.raw_end(view.text.size()) == 15);
  CHECK(view.map.has_escape(0, 2));
  CHECK_FALSE(view.map.has_escape(2, 6));
  CHECK_FALSE(decode_view(Codec::percent, "100% of it", view));
  CHECK(decode_text(Codec::json, R"(\u00e9\ud83d\ude00\/\\u0041\x\u12)") == "\xC3\xA9\xF0\x9F\x98\x80/\\u0041\\x\\u12");
  CHECK(decode_text(Codec::html, "&lt;&#65;&#x42;&nothing;&#x110000;&&amp;") == "<AB&nothing;&#x110000;&&");
  CHECK(decode_text(Codec::form, "a+b%2B") == "a b+");
}
