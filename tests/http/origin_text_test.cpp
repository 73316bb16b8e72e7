#include "http/message/origin_text.h"

#include <catch2/catch.hpp>

namespace tapedeck::http {
namespace {

const std::string here = "http://127.0.0.1:8080";

std::string changed(const std::string& text, const std::string& device, const std::string& own = here) {
  return OriginText(device).replaced(text, own).value_or("unchanged");
}

TEST_CASE("origin text: absolute URLs of the device are replaced in each spelling") {
  struct Row {
    std::string text, expected;
  };
  const std::vector<Row> rows = {
      {"https://nas.example:5001", "http://127.0.0.1:8080"},
      {R"({"u":"https://nas.example:5001/a?b=1"})", R"({"u":"http://127.0.0.1:8080/a?b=1"})"},
      {R"({"u":"https:\/\/nas.example:5001\/a"})", R"({"u":"http:\/\/127.0.0.1:8080\/a"})"},
      {R"({"u":"{\"v\":\"https:\\\/\\\/nas.example:5001\\\/a\"}"})",
       R"({"u":"{\"v\":\"http:\\\/\\\/127.0.0.1:8080\\\/a\"}"})"},
      {R"("https:\u002f\u002fnas.example:5001")", R"("http:\u002f\u002f127.0.0.1:8080")"},
      {"next=https%3A%2F%2Fnas.example%3A5001%2Fa", "next=http%3A%2F%2F127.0.0.1%3A8080%2Fa"},
      {"next=https%3a%2f%2fnas.example%3a5001", "next=http%3A%2F%2F127.0.0.1%3A8080"},
      {R"(n={"u":"https%3A%5C%2F%5C%2Fnas.example%3A5001%5C%2Fa"})",
       R"(n={"u":"http%3A%5C%2F%5C%2F127.0.0.1%3A8080%5C%2Fa"})"},
      {"a=https%253A%252F%252Fnas.example%253A5001%252F", "a=http%253A%252F%252F127.0.0.1%253A8080%252F"},
      {"HTTPS://NAS.Example:5001/", "http://127.0.0.1:8080/"},
      {"<a href='https://nas.example:5001'>", "<a href='http://127.0.0.1:8080'>"},
      {"see https://nas.example:5001. Or", "see http://127.0.0.1:8080. Or"},
      {R"("a\nhttps://nas.example:5001")", R"("a\nhttp://127.0.0.1:8080")"},
      {"x=%22https%3A%2F%2Fnas.example%3A5001%22", "x=%22http%3A%2F%2F127.0.0.1%3A8080%22"},
      {"#EXTM3U\nhttps://nas.example:5001/a.ts\nhttps://nas.example:5001/b.ts\n",
       "#EXTM3U\nhttp://127.0.0.1:8080/a.ts\nhttp://127.0.0.1:8080/b.ts\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(changed(row.text, "https://nas.example:5001") == row.expected);
    CHECK(OriginText("https://nas.example:5001").is_in(row.text));
  }
}

TEST_CASE("origin text: everything else stays") {
  for (const std::string text :
       {"", "nas.example:5001", "//nas.example:5001/a", "http://nas.example:5001", "https://nas.example",
        "https://nas.example:50011", "https://nas.example:500", "https://nas.example:5001x",
        "https://nas.example.org:5001", "https://my-nas.example:5001", "https://user@nas.example:5001",
        "https://nas.example:5001@evil.example", "xhttps://nas.example:5001", "wss://nas.example:5001",
        "https:/nas.example:5001", R"(https:\//nas.example:5001)", "https://nas.example:99999",
        "https://other.example:5001/nas.example:5001"}) {
    CAPTURE(text);
    CHECK(changed(text, "https://nas.example:5001") == "unchanged");
  }
}

TEST_CASE("origin text: default ports, IPv6 addresses, and paths") {
  CHECK(changed("http://nas.example/a", "http://nas.example") == here + "/a");
  CHECK(changed("http://nas.example:80/a", "http://nas.example") == here + "/a");
  CHECK(changed("https://nas.example:443", "https://nas.example") == here);
  CHECK(changed("http://nas.example:5000", "http://nas.example") == "unchanged");
  CHECK(changed("http://[2001:db8::1]:5000/a", "http://[2001:db8::1]:5000") == here + "/a");
  CHECK(changed(here + "/~scope/a%20b/x", here + "/~scope/a%20b", "http://nas.example") == "http://nas.example/x");
  CHECK(changed(here + "/~scope/a%20bc/x", here + "/~scope/a%20b", "http://nas.example") == "unchanged");
  CHECK(changed("http%3A%2F%2Fnas.example%2Fx", "http://nas.example", here + "/~scope/a%20b") ==
        "http%3A%2F%2F127.0.0.1%3A8080%2F~scope%2Fa%2520b%2Fx");
  CHECK(OriginText("nonsense").empty());
  CHECK(changed("http://nonsense", "nonsense") == "unchanged");
}

TEST_CASE("origin text: other origins of the host are reported") {
  std::vector<std::string> others;
  OriginText("https://nas.example:5001")
      .each_other("https://nas.example:5001 http://nas.example:5000/a https://nas.example https://other.example",
                  [&](std::string origin) { others.push_back(std::move(origin)); });
  CHECK(others == std::vector<std::string>{"http://nas.example:5000", "https://nas.example"});
}

TEST_CASE("origin text: the Content-Type decides what is a text") {
  const auto of_type = [](const std::string& type) { return is_text(Headers{{"Content-Type", type}}, "x"); };
  for (const char* const type :
       {"application/json; charset=\"UTF-8\"", "text/html", "text/plain", "TEXT/XML", "application/xml",
        "application/vnd.apple.mpegurl", "application/x-mpegURL", "audio/mpegurl", "application/javascript",
        "application/x-www-form-urlencoded", "application/hal+json", "application/dash+xml"}) {
    CAPTURE(type);
    CHECK(of_type(type));
  }
  for (const char* const type : {"application/octet-stream", "image/png", "video/mp4", "application/zip",
                                 "text/event-stream", "multipart/form-data; boundary=x"}) {
    CAPTURE(type);
    CHECK_FALSE(of_type(type));
  }
  CHECK(is_text({}, "plain"));
  CHECK_FALSE(is_text({}, std::string_view("a\0b", 3)));
}

}  // namespace
}  // namespace tapedeck::http
