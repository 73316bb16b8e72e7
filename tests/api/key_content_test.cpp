// Tests contents that a key represents by their hash, and ranges in keys.

#include <catch2/catch.hpp>

#include "api/key_text.h"
#include "tests/api/requests.h"

namespace tapedeck::api {

TEST_CASE("key: the name of redacted content is that of no other content") {
  const std::string plain = content_name("abc", false), redacted = content_name("abc", true);
  CHECK(plain == "ba7816bf8f01cfea");
  CHECK(redacted == "redacted+" + plain);
  // A client cannot write such a name: '+' is encoded in values.
  std::string value;
  append_escaped(value, redacted);
  CHECK(value.find(redacted_content) == std::string::npos);
}

TEST_CASE("key: a range is an item of its own, in the order of the names") {
  struct Row {
    std::string key, with_range;
  };
  for (const Row& row : std::vector<Row>{
           {"GET /f.bin", "GET /f.bin?+Range=bytes%3D0-3"},
           {"GET /f.bin?v=2", "GET /f.bin?+Range=bytes%3D0-3&v=2"},
           {"GET /f.bin?!=1&v=2", "GET /f.bin?!=1&+Range=bytes%3D0-3&v=2"},
           {"GET /f.bin?!=1", "GET /f.bin?!=1&+Range=bytes%3D0-3"},
           {"GET /f.bin?v=2 #abc", "GET /f.bin?+Range=bytes%3D0-3&v=2 #abc"},
           {"GET /f.bin #abc", "GET /f.bin?+Range=bytes%3D0-3 #abc"},
           {"SVC.A/1/get", "SVC.A/1/get?+Range=bytes%3D0-3"},
           {"SVC.A/1/get?%2B=1&a=1#abc", "SVC.A/1/get?%2B=1&+Range=bytes%3D0-3&a=1#abc"},
       }) {
    CAPTURE(row.key);
    const RequestKey key = RequestKey::parse(row.key).with_range("bytes=0-3");
    CHECK(key.text == row.with_range);
    const std::vector<RequestKey::Item> items = key.items();
    CHECK(std::is_sorted(items.begin(), items.end(), [](const auto& a, const auto& b) { return a.name < b.name; }));
    const RequestKey whole = RequestKey::parse(row.key);
    CHECK(items.size() == whole.items().size() + 1);
    CHECK(key.body() == whole.body());
  }
}

}  // namespace tapedeck::api
