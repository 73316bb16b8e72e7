// Bodies in which nothing was found are not looked through again: what may change that all the same.

#include <catch2/catch.hpp>

#include "scrubbers/rules/plain_bodies.h"
#include "tests/scrubbers/fixtures.h"

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

namespace {

const std::string path = "/webapi/entry.cgi?version=1&api=SYNO.";

/// As often as it takes until the body is remembered, and once more.
void see_often(Scrubber& scrubber, const api::Interaction& interaction) {
  for (int time = 0; time < 4; ++time) {
    const ScrubbedInteraction scrubbed = scrubber.scrub(interaction);
    const InteractionRecord& record = scrubbed.record();
    CHECK(record.response.body == interaction.response.body);
    CHECK(record.redactions.empty());
  }
}

BodyInPlace in_place(const CallContext& context, std::string_view type, std::string_view body) {
  return {context, type, body, PlainBodies::hash_of(context, body)};
}

CallContext context_of(const std::string& target) {
  return CallContext(api::Call::from(http::Request{"GET", target, 1, {}, {}}));
}

}  // namespace

TEST_CASE("a plain body is remembered once it came again, for its place alone") {
  PlainBodies plain;
  const CallContext group = context_of(path + "Core.Group&method=list");
  const CallContext other_method = context_of(path + "Core.Group&method=get");
  const BodyInPlace asked = in_place(group, "application/json", "{}");
  CHECK_FALSE(plain.knows(asked));
  plain.add(asked);
  CHECK_FALSE(plain.knows(asked));
  plain.add(asked);
  CHECK(plain.knows(asked));
  CHECK_FALSE(plain.knows(in_place(other_method, "application/json", "{}")));
  CHECK_FALSE(plain.knows(in_place(CallContext(), "application/json", "{}")));
  CHECK_FALSE(plain.knows(in_place(group, "text/plain", "{}")));
  CHECK_FALSE(plain.knows(in_place(group, "application/json", "{ }")));
}

TEST_CASE("plain bodies take no more than their room, and long ones none") {
  PlainBodies plain;
  const CallContext nothing;
  const auto add = [&](const std::string& body) {
    plain.add(in_place(nothing, "", body));
    plain.add(in_place(nothing, "", body));
  };
  const std::string long_body(PlainBodies::longest, 'x');
  add(long_body);
  CHECK(plain.knows(in_place(nothing, "", long_body)));
  add(long_body + "x");
  CHECK_FALSE(plain.knows(in_place(nothing, "", long_body + "x")));
  std::size_t known = 0;
  constexpr std::size_t count = 4 * PlainBodies::most_bytes / PlainBodies::longest;
  const auto body = [&](std::size_t i) { return std::to_string(i) + long_body.substr(8); };
  for (std::size_t i = 0; i < count; ++i) add(body(i));
  for (std::size_t i = 0; i < count; ++i) known += plain.knows(in_place(nothing, "", body(i)));
  CHECK(known > 0);
  CHECK(known * PlainBodies::longest <= PlainBodies::most_bytes);
  CHECK(plain.knows(in_place(nothing, "", body(count - 1))));
}

TEST_CASE("a body that was plain for one call is not for another that keeps a secret under that name") {
  Scrubber scrubber({});
  const std::string body = R"({"data":{"id":"gofR4tyu8"},"success":true})";
  see_often(scrubber, get(path + "Core.Group&method=getinfo", body));
  const auto share = scrubber.scrub(get(path + "FileStation.Sharing&method=getinfo", body));
  CHECK(all_of(share.record()).find("gofR4tyu8") == std::string::npos);
}

TEST_CASE("a body that was plain as an image is not as a text") {
  Scrubber scrubber({});
  api::Interaction image = get(path + "Core.Group&method=get", "MYSQL_PASSWORD=Qx7-rt9Lm2");
  image.response.headers = {};
  image.response.headers.add("Content-Type", "image/png");
  see_often(scrubber, image);
  image.response.headers = {};
  image.response.headers.add("Content-Type", "text/plain");
  CHECK(all_of(scrubber.scrub(image).record()).find("Qx7-rt9Lm2") == std::string::npos);
}

TEST_CASE("in a body that was plain before a login its secrets are found after it") {
  Scrubber scrubber({});
  const api::Interaction seen = get(path + "Core.Group&method=list", R"({"data":{"note":")" + sid + R"("}})");
  see_often(scrubber, seen);
  static_cast<void>(scrubber.scrub(login(sid)));
  for (int time = 0; time < 4; ++time) CHECK(all_of(scrubber.scrub(seen).record()).find(sid) == std::string::npos);
}

TEST_CASE("a flag that looked like one is a secret once a login has it, in a body that came often") {
  Scrubber scrubber({});
  const api::Interaction seen = get(path + "Core.Group&method=list", R"({"data":{"password":"required"}})");
  see_often(scrubber, seen);
  static_cast<void>(scrubber.scrub(login(sid, "alice", "required")));
  CHECK(scrubber.scrub(seen).record().response.body.find("required") == std::string::npos);
}
