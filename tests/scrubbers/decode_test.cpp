// Tests Content-Encoding, compressed files, and charsets: which bodies are decoded and which are withheld.

#include <brotli/encode.h>

#include <catch2/catch.hpp>

#include "scrubbers/text/decode.h"
#include "tests/scrubbers/fixtures.h"
#include "tests/scrubbers/packing.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

std::string brotlied(std::string_view text) {
  std::string out(BrotliEncoderMaxCompressedSize(text.size()) + 16, '\0');
  std::size_t size = out.size();
  BrotliEncoderCompress(5, 18, BROTLI_MODE_TEXT, text.size(), reinterpret_cast<const std::uint8_t*>(text.data()), &size,
                        reinterpret_cast<std::uint8_t*>(out.data()));
  out.resize(size);
  return out;
}

struct Packed {
  const char* encoding;
  std::string body;
};

const std::string plain = R"({"data":{"sid":")" + sid + R"(","n":[1,2,3]},"success":true})";
const std::string scrubbed_plain = R"({"data":{"sid":"<SESSION_ID>","n":[1,2,3]},"success":true})";

std::vector<Packed> good_bodies() {
  return {{"", plain},
          {"identity", plain},
          {"gzip", gzipped(plain)},
          {"GZip", gzipped(plain)},
          {"x-gzip", gzipped(plain)},
          {"gzip", gzipped(plain.substr(0, 9)) + gzipped(plain.substr(9))},
          {"deflate", deflated(plain, 15)},
          {"deflate", deflated(plain, -15)},
          {"br", brotlied(plain)},
          {"zstd", zstd(plain)},
          {"gzip, br", brotlied(gzipped(plain))},
          {"gzip , identity, gzip", gzipped(gzipped(plain))}};
}

api::Interaction answer(std::string_view encoding, std::string body) {
  api::Interaction interaction = get(login_path, std::move(body));
  if (!encoding.empty()) interaction.response.headers.add("Content-Encoding", encoding);
  return interaction;
}

/// Returns the result, for further checks.
ScrubbedInteraction check_withheld(Scrubber& scrubber, const api::Interaction& interaction) {
  ScrubbedInteraction scrubbed = scrubber.scrub(interaction);
  const InteractionRecord& record = scrubbed.record();
  CHECK(record.completeness == api::Completeness::withheld);
  CHECK(record.response.body.empty());
  CHECK(record.withheld_digest.size() == 64);
  CHECK_FALSE(record.reason.empty());
  CHECK(record.response.headers.size() <= 1);
  CHECK(rows_fit(record));
  CHECK(all_of(record).find(sid) == std::string::npos);
  return scrubbed;
}

}  // namespace

TEST_CASE("decoding: bodies are scrubbed in every Content-Encoding and stored decoded") {
  for (const Packed& packed : good_bodies()) {
    INFO(packed.encoding);
    Scrubber scrubber({});
    const ScrubbedInteraction scrubbed = scrubber.scrub(answer(packed.encoding, packed.body));
    CHECK(scrubbed.record().completeness == api::Completeness::complete);
    CHECK(scrubbed.record().response.body == scrubbed_plain);
    CHECK_FALSE(scrubbed.record().response.headers.contains("Content-Encoding"));
  }
}

TEST_CASE("decoding: a request body is decoded, too") {
  Scrubber scrubber({});
  api::Interaction interaction = post("/x", "application/x-www-form-urlencoded", gzipped("a=1&passwd=" + sid));
  interaction.request.headers.add("Content-Encoding", "gzip");
  CHECK(scrubber.scrub(interaction).record().request.body == "a=1&passwd=<PASSWORD>");
  interaction.request.body.resize(20);
  CHECK(check_withheld(scrubber, interaction).record().request.body.empty());
}

TEST_CASE("decoding: a body that cannot be decoded with certainty is withheld") {
  const std::string text(100'000, 'x');
  std::vector<Packed> bad{{"compress", plain},
                          {"gzip", plain},
                          {"br", plain},
                          {"zstd", plain},
                          {"deflate", plain},
                          {"gzip, gzip, gzip, gzip, gzip, gzip", plain},
                          {"gzip", gzipped(plain) + "trailing " + sid},
                          {"deflate", deflated(plain, 15) + sid},
                          {"br", brotlied(plain) + sid},
                          {"gzip", gzipped(text)}};
  for (const Packed& packed : good_bodies()) {
    if (std::string_view(packed.encoding).size() < 2 || packed.body == plain) continue;
    for (const std::size_t cut : {std::size_t{1}, packed.body.size() / 2, packed.body.size() - 1}) {
      bad.push_back({packed.encoding, packed.body.substr(0, cut)});
    }
  }
  ScrubberOptions options;
  options.max_decoded = 50'000;
  Scrubber scrubber(options);
  for (const Packed& packed : bad) {
    INFO(packed.encoding << " " << packed.body.size());
    check_withheld(scrubber, answer(packed.encoding, packed.body));
  }
}

TEST_CASE(
    "a packed stream that its client ended is kept as far as it decodes, and withheld where that is within a secret") {
  for (const Packed& packed : good_bodies()) {
    const std::string_view encoding = packed.encoding;
    if (encoding.size() < 2 || encoding == "identity") continue;
    INFO(packed.encoding);
    Scrubber scrubber({});
    static_cast<void>(scrubber.scrub(login(sid)));
    bool kept_a_part = false;
    for (std::size_t cut = 1; cut < packed.body.size(); ++cut) {
      api::Interaction stream = answer(packed.encoding, packed.body.substr(0, cut));
      stream.ended_by_client = true;
      const ScrubbedInteraction scrubbed = scrubber.scrub(stream);
      const InteractionRecord& record = scrubbed.record();
      REQUIRE(all_of(record).find(sid.substr(0, 8)) == std::string::npos);
      if (record.completeness == api::Completeness::withheld) continue;
      REQUIRE(record.completeness == api::Completeness::complete);
      REQUIRE(record.ended_by_client);
      kept_a_part = kept_a_part || record.response.body.starts_with(R"({"data":)");
    }
    CHECK((kept_a_part || encoding != "gzip"));  // other encodings decode in blocks
  }
}

TEST_CASE("decoding: a stream that its client ended within a known secret is withheld") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  for (const std::string& text : {"data: 1\n\ndata: " + sid.substr(0, 12), std::string("data: 1\n\n")}) {
    for (const Packed& packed : {Packed{"", text}, Packed{"gzip", gzipped(text)}}) {
      INFO(packed.encoding << " " << text);
      api::Interaction stream = answer(packed.encoding, packed.body);
      stream.request.target = "/events";
      stream.response.headers.set("Content-Type", "text/event-stream");
      stream.ended_by_client = true;
      const bool is_cut = text.size() > 12;
      CHECK((scrubber.scrub(stream).record().completeness == api::Completeness::withheld) == is_cut);
    }
  }
}

TEST_CASE("decoding: a compressed body that is cut or damaged anywhere is withheld, or decoded and scrubbed") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  std::size_t bodies = 0;
  std::size_t withheld = 0;
  const auto check = [&](const Packed& packed) {
    INFO(packed.encoding << " " << bodies);
    const ScrubbedInteraction scrubbed = scrubber.scrub(answer(packed.encoding, packed.body));
    const InteractionRecord& record = scrubbed.record();
    ++bodies;
    REQUIRE(all_of(record).find(sid) == std::string::npos);
    if (record.completeness == api::Completeness::withheld) {
      ++withheld;
      REQUIRE(record.response.body.empty());
    } else {
      REQUIRE(record.response.body != packed.body);
      REQUIRE(rows_fit(record));
    }
  };
  for (const Packed& packed : good_bodies()) {
    if (packed.body == plain) continue;
    for (std::size_t at = 0; at < packed.body.size(); ++at) {
      if (at > 0) check({packed.encoding, packed.body.substr(0, at)});
      for (const int bit : {0, 3, 7}) {
        Packed flipped = packed;
        flipped.body[at] = static_cast<char>(flipped.body[at] ^ (1 << bit));
        check(flipped);
      }
    }
  }
  CHECK(bodies > 2'000);
  CHECK(withheld > bodies * 8 / 10);
}

TEST_CASE("decoding: decompression bombs are bounded") {
  std::string bomb = gzipped(std::string(8u << 20, '\0'));
  ScrubberOptions options;
  options.max_decoded = 1u << 20;
  Scrubber scrubber(options);
  check_withheld(scrubber, answer("gzip", bomb));
  for (int i = 0; i < 3; ++i) bomb = gzipped(bomb);
  check_withheld(scrubber, answer("gzip, gzip, gzip, gzip", bomb));
  check_withheld(scrubber, answer("zstd", zstd(std::string(8u << 20, 'a'))));
  check_withheld(scrubber, answer("br", brotlied(std::string(8u << 20, 'a'))));
}

TEST_CASE("decoding: a compressed download is withheld only if it contains a known secret") {
  for (const bool with_secret : {true, false}) {
    const std::string text =
        std::string(3u << 20, 'q') + (with_secret ? encode(sid, "percent-all") : "nothing") + "end";
    for (const std::string& file : {gzipped(text), zipped(text), zstd(text), gzipped(text).substr(0, 3300)}) {
      Scrubber scrubber({});
      static_cast<void>(scrubber.scrub(login(sid)));
      api::Interaction interaction =
          get("/webapi/entry.cgi?api=SYNO.FileStation.Download&version=2&method=download", file);
      interaction.response.headers.set("Content-Type", "application/octet-stream");
      if (with_secret && file.size() != 3300) {
        check_withheld(scrubber, interaction);
      } else {
        CHECK(scrubber.scrub(interaction).record().response.body == file);
      }
    }
  }
}

TEST_CASE("decoding: texts in unsupported charsets are withheld") {
  const std::string utf16 = encode(plain, "utf16le");
  const auto typed = [](const char* type, std::string body) {
    api::Interaction interaction = get(login_path, std::move(body));
    interaction.response.headers.set("Content-Type", type);
    return interaction;
  };
  Scrubber scrubber({});
  check_withheld(scrubber, typed("application/json; charset=utf-16", utf16));
  check_withheld(scrubber, typed("application/json", "\xff\xfe" + utf16));
  check_withheld(scrubber, typed("application/json", utf16));
  check_withheld(scrubber, typed("text/plain; charset=\"UTF-7\"", plain));
  check_withheld(scrubber, typed("text/html; charset=ibm037", plain));
  for (const char* type : {"application/json; charset=ISO-8859-1", "text/plain; charset=\"UTF-8\"", "text/plain", ""}) {
    CHECK(scrubber.scrub(typed(type, plain)).record().response.body == scrubbed_plain);
  }
}

TEST_CASE("decoding: a broken response keeps its received part unless it ends within a secret or an encoding") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  const auto broken = [](std::string body) {
    api::Interaction interaction = get("/x", std::move(body));
    interaction.completeness = api::Completeness::broken;
    interaction.reason = "the connection ended";
    return interaction;
  };
  const ScrubbedInteraction kept = scrubber.scrub(broken(R"({"a":")" + sid + R"(","b":)"));
  CHECK(kept.record().completeness == api::Completeness::broken);
  CHECK(kept.record().reason == "the connection ended");
  CHECK(kept.record().response.body == R"({"a":"<SESSION_ID>","b":)");
  CHECK(scrubber.scrub(broken(R"({"sid":"Unfinished-Id-1)")).record().response.body == R"({"sid":"<SESSION_ID>)");
  check_withheld(scrubber, broken(R"({"a":")" + sid.substr(0, 20)));
}

TEST_CASE("decoding: a withheld response keeps the scrubbed request and the status") {
  Scrubber scrubber({});
  api::Interaction interaction = answer("compress", plain);
  interaction.request.target += "&passwd=" + sid;
  interaction.response.status = 207;
  interaction.response.headers.add("Set-Cookie", "id=" + sid);
  const ScrubbedInteraction scrubbed = scrubber.scrub(interaction);
  CHECK(scrubbed.record().request.target == login_path + "&passwd=<SESSION_ID>");
  CHECK(scrubbed.record().response.status == 207);
  CHECK(scrubbed.record().response.headers.to_text() == "Content-Type: application/json; charset=\"UTF-8\"\r\n");
  CHECK(scrubbed.record().withheld_bytes == plain.size());
  api::Interaction cookie_only = answer("compress", plain);
  cookie_only.response.headers.add("Set-Cookie", "id=" + device_id);
  static_cast<void>(scrubber.scrub(cookie_only));
  CHECK(scrubber.scrub(get("/x", device_id)).record().response.body == "<SESSION_ID>");
  CHECK(scrubbed.record().key.text == "SYNO.API.Auth/6/login");
}

TEST_CASE("decoding: the effect of a request is that of its decoded body, and an unreadable request is a write") {
  Scrubber scrubber({});
  const auto effect_of = [&](const std::string& encoding, const std::string& body) {
    api::Interaction form =
        post("/webapi/entry.cgi?api=SYNO.Core.Network&version=1&method=get", "application/x-www-form-urlencoded", body);
    if (!encoding.empty()) form.request.headers.add("Content-Encoding", encoding);
    return scrubber.learn(form.request)->effect;
  };
  CHECK(effect_of("", "offset=0") == api::Effect::read);
  CHECK(effect_of("gzip", gzipped("offset=0")) == api::Effect::read);
  CHECK(effect_of("gzip", gzipped("method=set")) == api::Effect::write);
  CHECK(effect_of("gzip", "offset=0") == api::Effect::write);
  CHECK(effect_of("compress", "offset=0") == api::Effect::write);
}

TEST_CASE("decoding: an invalid multipart body is withheld if it names a secret") {
  Scrubber scrubber({});
  const std::string type = "multipart/form-data; boundary=b";
  check_withheld(scrubber, post("/x", type, "--b\r\nContent-Disposition: form-data; name=\"passwd\"\r\n\r\n" + sid));
  const std::string harmless = "--b\r\nContent-Disposition: form-data; name=\"path\"\r\n\r\n/home";
  const ScrubbedInteraction kept = scrubber.scrub(post("/x", type, harmless));
  CHECK(kept.record().completeness == api::Completeness::complete);
  CHECK(kept.record().request.body == harmless);
}

TEST_CASE("decoding: a request with too many parts is withheld without its body") {
  const auto repeated = [](std::string_view text, std::size_t times) {
    std::string all;
    for (std::size_t i = 0; i < times; ++i) all += text;
    return all;
  };
  const std::size_t most = Scrubber::most_pieces;
  const std::string form = "application/x-www-form-urlencoded", parts = "multipart/form-data; boundary=q";
  const std::string part = "--q\r\nContent-Disposition: form-data; name=\"_sid\"\r\n\r\n" + sid + "\r\n";
  const std::string other = "--q\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n";
  const struct {
    const std::string& type;
    std::string body;
    bool is_kept;
  } rows[] = {
      {form, "_sid=" + sid + repeated("&a=b", most - 1), true},
      {form, "_sid=" + sid + repeated("&a=b", most), false},
      {parts, part + repeated(other, most - 2) + "--q--\r\n", true},
      {parts, part + repeated(other, most) + "--q--\r\n", false},
      {form,
       "api=SYNO.Entry.Request&version=1&method=request&_sid=" + sid + "&compound=[" + repeated("{},", most) + "{}]",
       false},
      {form, "_sid=" + sid + "&a=" + repeated("{},", most), true},
  };
  for (const auto& row : rows) {
    INFO(row.type << " " << row.body.size());
    Scrubber scrubber({});
    const api::Interaction sent = post("/webapi/entry.cgi", row.type, row.body, R"({"echo":")" + sid + R"("})");
    const bool reads = scrubber.learn(sent.request)->effect == api::Effect::read;
    CHECK_FALSE(reads);
    if (row.is_kept) {
      CHECK(scrubber.scrub(sent).record().completeness == api::Completeness::complete);
      continue;
    }
    CHECK(check_withheld(scrubber, sent).record().request.body.empty());
  }
}

TEST_CASE("decoding: a body with too many known values is withheld as a whole") {
  constexpr std::size_t most = 400'000;
  const std::string searched = "Xk3pQz9w!", whole = "hunter7";
  const auto list_of = [](const std::string& value, std::size_t times) {
    std::string all = "[";
    for (std::size_t i = 0; i < times; ++i) all += (i == 0 ? "\"" : ",\"") + value + "\"";
    return all + "]";
  };
  for (const std::string& value : {searched, whole}) {
    INFO(value);
    Scrubber scrubber({});
    scrubber.teach(value, SecretClass::password);
    const ScrubbedInteraction kept = scrubber.scrub(post("/x", "text/plain", "a", list_of(value, most)));
    CHECK(kept.record().completeness == api::Completeness::complete);
    CHECK(kept.record().redactions.size() == most);
    CHECK(kept.record().response.body == list_of("<PASSWORD>", most));
    check_withheld(scrubber, post("/x", "text/plain", "a", list_of(value, most + 1)));
    const api::Interaction sent = post("/x", "text/plain", list_of(value, most + 1), "a");
    CHECK(check_withheld(scrubber, sent).record().request.body.empty());
  }
}

TEST_CASE("decoding: a compressed request is withheld if its decoded body does not fit into memory") {
  std::size_t room = 0;
  ScrubberOptions options;
  options.room_for_request = [&room] { return room; };
  Scrubber scrubber(options);
  api::Interaction sent = post("/x", "text/plain", gzipped(std::string(10'000, 'a')));
  sent.request.headers.add("Content-Encoding", "gzip");
  for (const std::size_t bytes : {std::size_t{0}, std::size_t{9'999}, std::size_t{10'000}}) {
    INFO(bytes);
    room = bytes;
    const ScrubbedInteraction scrubbed = scrubber.scrub(sent);
    CHECK((scrubbed.record().completeness == api::Completeness::complete) == (bytes == 10'000));
    CHECK(scrubbed.record().request.body.empty() == (bytes != 10'000));
  }
  room = 0;
  CHECK(scrubber.scrub(post("/x", "text/plain", "not packed")).record().request.body == "not packed");
}
