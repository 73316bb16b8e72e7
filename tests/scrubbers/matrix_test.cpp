// Tests generated combinations of forms, places, kinds of values, sources that confirm them, and whether they are
// learned before or after. The expected results follow the rules in docs/secrets.md.

#include <catch2/catch.hpp>
#include <random>

#include "http/message/urlencoded.h"
#include "tests/scrubbers/fixtures.h"
#include "tests/support/secret_forms.h"
#include "tests/support/value_kinds.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;
using tests::SecretForm;

/// The source of a value, and whether it confirms the value.
struct Source {
  std::string name;
  bool confirms;
  std::function<api::Interaction(const std::string& value)> make;
};

std::vector<Source> sources() {
  const std::string fine = R"({"success":true})", refused = R"({"error":{"code":119},"success":false})";
  const auto call = [](const std::string& api, const std::string& method, const std::string& name) {
    return [=](const std::string& value) {
      return "/webapi/entry.cgi?api=SYNO." + api + "&version=1&method=" + method + "&" + name + "=" +
             http::percent_encode(value);
    };
  };
  const auto login_of = call("API.Auth", "login", "passwd");
  const auto write_of = call("Core.User", "set", "new_password");
  const auto info_of = call("API.Info", "query", "passwd");
  const auto sid_of = call("Core.System", "info", "_sid");
  return {
      {"login", true, [=](const std::string& v) { return get(login_of(v), fine); }},
      {"login that asks for a code", true,
       [=](const std::string& v) { return get(login_of(v), R"({"error":{"code":403},"success":false})"); }},
      {"write", true, [=](const std::string& v) { return get(write_of(v), fine); }},
      {"response", true,
       [=](const std::string& v) {
         return get("/webapi/entry.cgi?api=SYNO.Core.Sec&version=1&method=get",
                    R"({"data":{"password":")" + encode(v, "json") + R"("},"success":true})");
       }},
      {"refused login", false,
       [=](const std::string& v) { return get(login_of(v), R"({"error":{"code":400},"success":false})"); }},
      {"refused session", false, [=](const std::string& v) { return get(sid_of(v), refused); }},
      {"open call", false, [=](const std::string& v) { return get(info_of(v), fine); }},
      {"echo", false,
       [=](const std::string& v) {
         return get(info_of(v), R"({"data":{"password":")" + encode(v, "json") + R"("},"success":true})");
       }},
  };
}

struct PlantPlace {
  std::string name;
  Part part;
  bool text_only;  ///< no control characters and no non-ASCII bytes
  std::function<api::Interaction(const std::string& planted)> make;
};

std::vector<PlantPlace> plant_places() {
  const std::string call = "/webapi/entry.cgi?api=SYNO.Core.Place&version=1&method=get";
  const auto with_header = [=](bool of_request, const std::string& name, const std::string& value) {
    api::Interaction made = get(call);
    (of_request ? made.request.headers : made.response.headers).add(name, value);
    return made;
  };
  return {
      {"query", Part::request_target, true, [=](const std::string& s) { return get(call + "&note=a-" + s + "-b"); }},
      {"path", Part::request_target, true, [=](const std::string& s) { return get("/files/a-" + s + "-b/c"); }},
      {"form", Part::request_body, true,
       [=](const std::string& s) { return post(call, "application/x-www-form-urlencoded", "note=a-" + s + "-b&z=1"); }},
      {"JSON request", Part::request_body, true,
       [=](const std::string& s) { return post(call, "application/json", "{\"note\":\"a " + s + " b\"}"); }},
      {"request header", Part::request_headers, true,
       [=](const std::string& s) { return with_header(true, "Accept-Language", "a " + s + " b"); }},
      {"JSON response", Part::response_body, true,
       [=](const std::string& s) { return get(call, "{\"data\":\"a " + s + " b\",\"success\":true}"); }},
      {"response header", Part::response_headers, true,
       [=](const std::string& s) { return with_header(false, "X-Note", "a " + s + " b"); }},
      {"bytes", Part::response_body, false, [=](const std::string& s) { return get(call, "\x01\xff " + s + "\xfe"); }},
  };
}

bool may_be_planted(const std::string& planted, const PlantPlace& place) {
  const bool in_url = place.part == Part::request_target || place.name == "form";
  return !place.text_only || std::all_of(planted.begin(), planted.end(), [in_url](char c) {
    const bool is_printed = c >= 0x20 && c < 0x7F;
    return is_printed && (!in_url || std::string_view("&#=;+\" <>").find(c) == std::string_view::npos);
  });
}

}  // namespace

TEST_CASE("matrix: a value is replaced in every place and form exactly if the rules require it") {
  std::mt19937 random(20261126);
  const std::vector<PlantPlace> places = plant_places();
  std::size_t cells = 0, replaced = 0;
  for (const tests::ValueKind& kind : tests::value_kinds()) {
    for (const Source& source : sources()) {
      const bool is_late = random() % 2 == 0;
      const std::string value = kind.make(random);
      const bool everywhere = source.confirms && tests::looks_like_credential(kind, value);
      CAPTURE(kind.name, source.name, value, is_late);
      Scrubber scrubber({});
      const auto say = [&] {
        const InteractionRecord said = scrubber.scrub(source.make(value)).record();
        // Its own name identifies it, whether or not it is confirmed.
        if (kind.name != "placeholder") CHECK(all_of(said).find(http::percent_encode(value)) == std::string::npos);
        CHECK(rows_fit(said));
      };
      if (!is_late) say();
      std::vector<std::pair<std::string, api::Interaction>> planted;
      std::vector<ScrubbedInteraction> stored;
      for (const PlantPlace& place : places) {
        for (const SecretForm& form : tests::secret_forms()) {
          const std::string text = form.make(value);
          if (!may_be_planted(text, place)) continue;
          planted.emplace_back(place.name + " / " + form.name, place.make(text));
          stored.push_back(scrubber.scrub(planted.back().second));
        }
      }
      if (is_late) say();
      for (std::size_t i = 0; i < planted.size(); ++i) {
        CAPTURE(planted[i].first);
        const InteractionRecord record =
            is_late ? scrubber.rescrub(stored[i].record()).interaction.record() : stored[i].record();
        CHECK(record.completeness == api::Completeness::complete);
        // A value that the device accepted from a client is found in more forms (accepted_test.cpp).
        const bool may_be_found = everywhere || (source.confirms && source.name != "response");
        if (everywhere || !may_be_found) CHECK(record.redactions.size() == (everywhere ? 1 : 0));
        replaced += record.redactions.size();
        ++cells;
      }
    }
  }
  CHECK(cells > 8000);
  CHECK(replaced > 1500);
}

TEST_CASE("matrix: shapes are found in every place with every promised decoding") {
  const std::string secret = "Kx7Qz9Lm2Vb8Zk4W";
  const std::string hash = "$6$rounds$" + secret + secret;
  const std::vector<std::pair<std::string, std::string>> shapes = {
      {"user info", "rtsp://admin:" + secret + "@cam.example/1"},
      {"password in a URL", "https://u:" + secret + "@nas.example/"},
      {"token in a URL", "https://" + secret + secret + "@nas.example/"},
      {"session id", "https://nas.example/x?a=1&_sid=" + secret},
      {"Telegram", "https://api.telegram.org/bot123456789:" + secret + secret + "/getMe"},
      {"webhook", "https://hooks.example/services/hook/" + secret + secret},
      {"hash", hash},
      {"bearer", "Bearer " + secret},
      {"presigned URL", "https://store.example/f?x=1&sig=" + secret},
      {"curl", "curl -u admin:" + secret + " https://nas.example"},
      {"sshpass", "sshpass -p " + secret + " ssh nas"},
      {"mysql", "mysql -uroot -p" + secret + " db"},
      {"netrc", "machine nas.example login admin password " + secret},
      {"PEM", "-----BEGIN PRIVATE KEY-----\n" + secret + secret + secret + "\n-----END PRIVATE KEY-----"},
  };
  const auto percent = [](const std::string& text, int times) {
    std::string out = text;
    for (int i = 0; i < times; ++i) out = http::percent_encode(out);
    return out;
  };
  const std::string call = "/webapi/entry.cgi?api=SYNO.Core.Place&version=1&method=get";
  const std::string form = "application/x-www-form-urlencoded";
  std::size_t cells = 0;
  for (const auto& [name, text] : shapes) {
    const std::string json = encode(text, "json"), slashed = encode(text, "json-slash"),
                      all = encode(text, "json-unicode");
    std::vector<std::pair<std::string, api::Interaction>> plants = {
        {"JSON response", get(call, "{\"data\":\"" + json + "\"}")},
        {"JSON response with slashes", get(call, "{\"data\":\"" + slashed + "\"}")},
        {"JSON response in unicode", get(call, "{\"data\":\"" + all + "\"}")},
        {"JSON request", post(call, "application/json", "{\"note\":\"" + slashed + "\"}")},
        {"multipart", post(call, "multipart/form-data; boundary=q",
                           "--q\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n" + text + "\r\n--q--\r\n")},
    };
    for (int times = 1; times <= 4; ++times) {
      const std::string level = " " + std::to_string(times);
      plants.emplace_back("query" + level, get(call + "&script=" + percent(text, times)));
      plants.emplace_back("form" + level, post(call, form, "a=1&script=" + percent(text, times) + "&z=2"));
      plants.emplace_back("JSON in a form" + level,
                          post(call, form, "data=" + percent("[\"" + slashed + "\"]", times)));
      plants.emplace_back("response" + level, get(call, "{\"data\":\"/x?next=" + percent(text, times) + "\"}"));
    }
    api::Interaction html = get("/index.html", "<a title='" + encode(text, "html-hex") + "'>x</a>");
    html.response.headers.set("Content-Type", "text/html");
    plants.emplace_back("HTML", html);
    api::Interaction moved = get("/next");
    moved.response.headers.add("Location", "/x?next=" + percent(text, 2));
    plants.emplace_back("Location", moved);
    api::Interaction cookie = get("/next");
    cookie.request.headers.add("Cookie", "last=" + percent(text, 1));
    plants.emplace_back("Cookie", cookie);
    Scrubber scrubber({});
    for (const auto& [place, interaction] : plants) {
      CAPTURE(name, place);
      const InteractionRecord record = scrubber.scrub(interaction).record();
      CHECK(record.redactions.size() >= 1);
      CHECK(all_of(record).find(secret) == std::string::npos);
      CHECK(all_of(record).find(encode(secret, "json-unicode")) == std::string::npos);
      CHECK(rows_fit(record));
      ++cells;
    }
  }
  CHECK(cells > 300);
}
