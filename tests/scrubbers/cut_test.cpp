// Tests responses and parts of files that begin or end within a secret in any form.

#include <catch2/catch.hpp>

#include "tests/scrubbers/fixtures.h"
#include "tests/support/secret_forms.h"

namespace {

using namespace tapedeck;
using namespace tapedeck::scrubbers;
using namespace tapedeck::scrubbers::test;

api::Interaction text_of_status(int status, const std::string& type, const std::string& body) {
  api::Interaction made = get("/files/notes.txt", body);
  made.response.status = status;
  made.response.headers.set("Content-Type", type);
  return made;
}

std::string reason_of(Scrubber& scrubber, const api::Interaction& interaction) {
  const InteractionRecord record = scrubber.scrub(interaction).record();
  return record.completeness == api::Completeness::withheld ? record.reason : "";
}

std::vector<std::pair<std::string, std::string>> encoded_ids() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const tests::SecretForm& form : tests::secret_forms()) all.emplace_back(form.name, form.make(sid));
  return all;
}

}  // namespace

TEST_CASE("cut: a response that ends within an encoded ID is withheld") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  for (const auto& [name, text] : encoded_ids()) {
    for (std::size_t length = 0; length <= text.size(); ++length) {
      CAPTURE(name, length);
      api::Interaction cut = text_of_status(200, "text/plain", "first line " + text.substr(0, length));
      cut.completeness = api::Completeness::broken;
      const std::string reason = reason_of(scrubber, cut);
      // A third of the text in any form has six bytes of the value.
      if (length > text.size() / 3 && length < text.size() * 8 / 10)
        CHECK(reason == "a response that ends within a secret");
      if (length == 0 || length == text.size()) CHECK(reason.empty());
    }
  }
}

TEST_CASE("cut: a part of a file that begins or ends within an encoded ID is withheld") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(login(sid)));
  const std::string expected = "a part of a file that contains a part of a secret";
  for (const auto& [name, text] : encoded_ids()) {
    CAPTURE(name);
    for (const std::size_t at : {text.size() / 3 + 1, text.size() / 2, text.size() / 2 + 1, text.size() * 3 / 5}) {
      CAPTURE(at);
      CHECK(reason_of(scrubber, text_of_status(206, "text/plain", "first line " + text.substr(0, at))) == expected);
      CHECK(reason_of(scrubber, text_of_status(206, "text/plain", text.substr(at) + " last line")) == expected);
      const std::string parts = "\r\n--cut\r\nContent-Range: bytes 0-9/99\r\n\r\nfirst line " + text.substr(0, at) +
                                "\r\n--cut\r\nContent-Range: bytes 50-59/99\r\n\r\nlast line\r\n--cut--\r\n";
      CHECK(reason_of(scrubber, text_of_status(206, "multipart/byteranges; boundary=cut", parts)) == expected);
    }
    CHECK(reason_of(scrubber, text_of_status(206, "text/plain", "before " + text + " behind")).empty());
  }
  const std::string clean = "\r\n--cut\r\n\r\nfirst\r\n--cut\r\n\r\nlast\r\n--cut--\r\n";
  CHECK(reason_of(scrubber, text_of_status(206, "multipart/byteranges; boundary=\"cut\"", clean)).empty());
}
