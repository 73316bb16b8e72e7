// The quick walk over JSON says what the full parser says, or nothing.

#include "api/plain_json.h"

#include <catch2/catch.hpp>

#include <nlohmann/json.hpp>
#include <random>
#include <vector>

using tapedeck::api::PlainJson;

namespace {

/// What either parser tells, one word an event; strings without escapes as they are.
class Log {
 public:
  [[nodiscard]] const std::string& text() const { return text_; }
  bool null() { return add("null"); }
  bool boolean(bool value) { return add(value ? "true" : "false"); }
  bool number_integer(std::int64_t value) { return add(std::to_string(value)); }
  bool number_unsigned(std::uint64_t value) { return add(std::to_string(value)); }
  bool number_float(double, std::string_view) { return add("fraction"); }
  bool string(std::string_view value) { return add(plain(value)); }
  bool key(std::string_view value) { return add("key " + plain(value)); }
  static bool binary(const std::vector<std::uint8_t>&) { return false; }
  bool start_object(std::size_t) { return add("{"); }
  bool end_object() { return add("}"); }
  bool start_array(std::size_t) { return add("["); }
  bool end_array() { return add("]"); }
  template <class Exception>
  static bool parse_error(std::size_t, const std::string&, const Exception&) {
    return false;
  }

 private:
  /// A text that was escaped has another length: none is compared.
  static std::string plain(std::string_view text) {
    const auto is_plain = [](char c) { return c >= 0x20 && c < 0x7f && c != '\\' && c != '"' && c != '/'; };
    return std::all_of(text.begin(), text.end(), is_plain) ? "'" + std::string(text) + "'" : "other";
  }
  bool add(const std::string& word) {
    text_ += word + "\n";
    return true;
  }
  std::string text_;
};

bool is_read(std::string_view text) {
  Log log;
  return PlainJson(text, log).read();
}

/// True when both say the same, or the quick one says nothing.
bool agrees(const std::string& text) {
  Log quick;
  if (!PlainJson(text, quick).read()) return true;
  Log full;
  std::string ascii(text);
  for (char& c : ascii) c = static_cast<unsigned char>(c) < 0x80 ? c : '\x7f';
  return nlohmann::json::sax_parse(ascii, &full) && full.text() == quick.text();
}

const std::vector<std::string> usual = {
    R"({"data":{"items":[{"id":1,"name":"volume","size":"1234567890123","used":0.25,"ok":true,"none":null}],"total":1},"success":true})",
    R"({"error":{"code":119},"success":false})",
    R"({"error":{"code":"400","errors":[{"code":-1}]},"success":false})",
    R"({ "a" : [ ] , "b" : { } , "c" : [ 1 , -2 , 3.5 , "x" ] })",
    R"([{"path":"\/volume1\/public"},"\u00e4\n\t\"", "\\", 0, -0, 10])",
    "{\"name\":\"\xc3\xa4\",\"latin\":\"\xe4\"}",
    "\"text\"",
    "12",
    " \r\n\ttrue ",
};

}  // namespace

TEST_CASE("plain json: what devices answer is read, and as the full parser reads it") {
  for (const std::string& text : usual) {
    INFO(text);
    CHECK(is_read(text));
    CHECK(agrees(text));
  }
}

TEST_CASE("plain json: what is no JSON, or takes a full parser, is left to it") {
  const std::string deep(100, '[');
  const std::string texts[] = {"",
                               " ",
                               "{",
                               "}",
                               "[1,]",
                               "[,1]",
                               "{\"a\":1,}",
                               "{\"a\"}",
                               "{\"a\":}",
                               "{a:1}",
                               "[1 2]",
                               "1 2",
                               "[1]]",
                               "[1}",
                               "01",
                               "-",
                               "1.",
                               ".5",
                               "1e5",
                               "1.5E3",
                               "+1",
                               "tru",
                               "nulll",
                               "\"open",
                               "\"\\x\"",
                               "\"\\u12g4\"",
                               "\"\\u0031\"",
                               "\"\\ud83d\\ude00\"",
                               "\"\\ud83d\"",
                               "\"tab\t\"",
                               "\xef\xbb\xbf{}",
                               "\xe4",
                               "1234567890123456789",
                               std::string(400, '9'),
                               deep,
                               deep + std::string(100, ']'),
                               std::string("\"a\0\"", 4),
                               "[1]\f",
                               "'a'",
                               "// no\n1",
                               "\"\\u00\""};
  for (const std::string& text : texts) {
    INFO(text);
    CHECK_FALSE(is_read(text));
  }
}

TEST_CASE("plain json: no text is read in another way than the full parser does") {
  std::mt19937 random(20261123);
  const std::string pieces = "{}[]\",:\\/0123456789.-+eEtruefalsn ul\t\xe4";
  std::size_t read = 0;
  for (int i = 0; i < 60'000; ++i) {
    std::string text = usual[random() % usual.size()];
    for (std::size_t change = random() % 3; change > 0 && !text.empty(); --change) {
      const std::size_t at = random() % text.size();
      const std::size_t kind = random() % 3;
      const char piece = pieces[random() % pieces.size()];
      if (kind == 0) text[at] = piece;
      if (kind == 1) text.insert(at, 1, piece);
      if (kind == 2) text.erase(at, 1 + random() % 3);
    }
    read += is_read(text) ? 1 : 0;
    if (!agrees(text)) FAIL(text);
  }
  CHECK(read > 10'000);
}
