// Addresses of the device in bodies, with the built program (docs/recording.md, "Addresses in bodies").

#include <catch2/catch.hpp>
#include <cctype>
#include <fstream>
#include <sstream>

#include "base/text.h"
#include "tests/e2e/harness.h"

namespace tapedeck::tests::address_cases {

namespace {

/// A text, with {} in place of the address as this text spells it.
struct Note {
  std::string name, type, text;
  bool is_text = true;
};

/// Encodes every byte that is not unreserved (RFC 3986). These tests link no code of the product.
std::string percent_encoded(const std::string& text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain =
        byte < 0x80 && (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos);
    encoded += is_plain ? std::string(1, c) : std::string{'%', digits[byte >> 4], digits[byte & 15]};
  }
  return encoded;
}

std::string spelled(std::string address, const std::string& name) {
  if (name == "escaped") base::replace_all(address, "/", "\\/");
  return name == "percent" ? percent_encoded(address) : address;
}

std::string with(const Note& note, const std::string& address) {
  std::string text = note.text;
  base::replace_all(text, "{}", spelled(address, note.name));
  return text;
}

std::vector<Note> notes() {
  return {{"json", "application/json", R"({"data":{"url":"{}/a"},"success":true})"},
          {"escaped", "application/json; charset=\"UTF-8\"", R"({"data":{"url":"{}\/a"},"success":true})"},
          {"page", "text/html", "<a href=\"{}/a\">a</a>"},
          {"list", "application/vnd.apple.mpegurl", "#EXTM3U\n{}/a.ts\n{}/b.ts\n"},
          {"percent", "text/plain", "open ?next={}%2Fa"},
          {"long", "application/json; charset=\"UTF-8\"",
           R"({"data":{"url":"{}/a","fill":")" + std::string(5000, 'x') + R"("},"success":true})"},
          {"file", "application/octet-stream", "bytes {}/a", false}};
}

std::string call_of(const std::string& base, const std::string& method, const std::string& query,
                    const std::string& sid) {
  return base + "/webapi/entry.cgi?api=SYNO.Test.Note&version=1&method=" + method + "&" + query + "&_sid=" + sid;
}

Reply set(const std::string& base, const Note& note, const std::string& sid, const std::string& address) {
  return curl({call_of(base, "set", "name=" + note.name + "&text=" + percent_encoded(with(note, address)), sid)});
}

Reply get(const std::string& base, const Note& note, const std::string& sid, std::vector<std::string> more = {}) {
  const bool is_chunked = note.name == "long" && !more.empty();
  const std::string query =
      "name=" + note.name + "&type=" + percent_encoded(note.type) + (is_chunked ? "&chunked=yes" : "");
  more.insert(more.begin(), call_of(base, "get", query, sid));
  return curl(more);
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("addresses: clients stay at the recorder and at the replay, and the device gets its own address") {
  const TempDir folder;
  const Device device;
  const std::string cassette = folder / "a.cassette";
  std::string recorder;
  record(folder.path(), device, cassette, [&](const std::string& url) {
    recorder = url;
    const std::string sid = play(url, {login_step()}).sid;
    for (const Note& note : notes()) {
      CAPTURE(note.name);
      CHECK(set(url, note, sid, url).status == 200);
      const std::string sent = device.targets().back();
      CHECK(says(sent, percent_encoded(with(note, device.origin()))));
      const std::string expected = with(note, note.is_text ? url : device.origin());
      CHECK(get(url, note, sid).body == expected);
      const Reply packed = get(url, note, sid, {"--compressed"});
      CHECK(packed.body == expected);
      CHECK(packed.exit == 0);
    }
  });
  const std::string stored = content_of(cassette);
  CHECK(says(stored, device.origin()));
  CHECK_FALSE(says(stored, recorder.substr(recorder.find("//") + 2)));
  Server replay(folder.path(), {"replay", "--auth", "strict", cassette});
  const std::string sid = play(replay.url(), {login_step()}).sid;
  for (const Note& note : notes()) {
    CAPTURE(note.name);
    CHECK(set(replay.url(), note, sid, replay.url()).header("x-tapedeck-outcome") == "recorded");
    CHECK(get(replay.url(), note, sid).body == with(note, note.is_text ? replay.url() : device.origin()));
  }
}

TEST_CASE("addresses: another port of the device in a body is reported with the command that records it") {
  const TempDir folder;
  const Device device;
  const Note note{"other", "application/json", R"({"data":{"url":"{}/a"},"success":true})"};
  const std::string other = "http://127.0.0.1:9";
  Server recorder(folder.path(), {"record", "--device", device.url(), folder / "o.cassette"});
  const std::string sid = play(recorder.url(), {login_step()}).sid;
  CHECK(set(recorder.url(), note, sid, other).status == 200);
  for (int i = 0; i < 2; ++i) CHECK(get(recorder.url(), note, sid).body == with(note, other));
  CHECK(recorder.stop() == 0);
  const std::string line = "tapedeck record --device " + other;
  const std::size_t at = recorder.err().find(line);
  CHECK(at != std::string::npos);
  CHECK(recorder.err().find(line, at + 1) == std::string::npos);
}

}  // namespace tapedeck::tests::address_cases
