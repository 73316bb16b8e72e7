// Tests where the events of a live stream end after earlier text was replaced.

#include <catch2/catch.hpp>

#include "scrubbers/scrubber.h"

using namespace tapedeck;

namespace {

/// Returns a login whose response comes in pieces that end at each '|', which is not sent.
api::Interaction streamed(std::string_view text) {
  api::Interaction interaction;
  interaction.request.method = "GET";
  interaction.request.target = "/webapi/entry.cgi?api=SVC.API.Auth&version=6&method=login&account=ann&passwd=no";
  for (const char c : text) {
    if (c != '|') {
      interaction.response.body += c;
      continue;
    }
    const auto at = static_cast<std::int64_t>(interaction.events.size());
    interaction.events.push_back({at, interaction.response.body.size()});
  }
  return interaction;
}

std::string with_marks(const scrubbers::InteractionRecord& record) {
  std::string text = record.response.body;
  for (auto event = record.events.rbegin(); event != record.events.rend(); ++event) text.insert(event->end, "|");
  return text;
}

}  // namespace

TEST_CASE("stream events: keep their ends whatever was replaced before them") {
  struct Case {
    const char *sent, *stored;
  };
  const std::vector<Case> cases = {
      {R"({"data":{"sid":"Kq3xV9-fixture_session"}|,"success":true}|)",
       R"({"data":{"sid":"<SESSION_ID>"}|,"success":true}|)"},
      {R"(|{"data":|{"sid":"Kq3xV9-|fixture_session"},"success":true})",
       R"(|{"data":|{"sid":"<SESSION_ID>|"},"success":true})"},
      {R"({"data":{"sid":"|Kq3xV9-fixture_session|"},"n":"a|b"})", R"({"data":{"sid":"|<SESSION_ID>|"},"n":"a|b"})"},
      {R"({"data":[1,|2,|3]})", R"({"data":[1,|2,|3]})"},
  };
  for (const Case& row : cases) {
    INFO(row.sent);
    scrubbers::Scrubber scrubber({});
    CHECK(with_marks(scrubber.scrub(streamed(row.sent)).record()) == row.stored);
  }
}

TEST_CASE("stream events: are dropped for an encoded or withheld body") {
  scrubbers::Scrubber scrubber({});
  api::Interaction encoded = streamed("a|b|");
  encoded.response.headers.add("Content-Encoding", "identity");
  CHECK(scrubber.scrub(encoded).record().events.empty());
  api::Interaction withheld = streamed("a|b|");
  withheld.completeness = api::Completeness::withheld;
  CHECK(scrubber.scrub(withheld).record().events.empty());
}
