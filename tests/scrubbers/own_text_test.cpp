// Tests texts that cannot be changed later: keys in a log.

#include <catch2/catch.hpp>

#include "api/key_text.h"
#include "scrubbers/own_text.h"
#include "tests/scrubbers/fixtures.h"
#include "tests/support/secret_forms.h"

namespace tapedeck::scrubbers::test {

TEST_CASE("own text: a guarded key has no value that may turn out to be a secret") {
  struct Row {
    std::string key, expected;
  };
  const std::string dots = "\xE2\x80\xA6";
  const std::vector<Row> rows = {
      // Names, flags, short numbers, and words of the interface stay.
      {"SVC.Core.System/1/info", "SVC.Core.System/1/info"},
      {"SVC.Core.Share/1/list?limit=100&offset=0&sort=true", "SVC.Core.Share/1/list?limit=100&offset=0&sort=true"},
      {"SVC.C2FS.Share/1/list", "SVC.C2FS.Share/1/list"},
      {"SVC.API.Auth/6/login?format&otp_code", "SVC.API.Auth/6/login?format&otp_code"},
      {"SVC.A/1/get?id=<SESSION_ID>", "SVC.A/1/get?id=<SESSION_ID>"},
      {"GET /webman/index.cgi", "GET /webman/index.cgi"},
      // Values that may be learned later are hidden, whether they would be searched for everywhere or as a whole value.
      {"SVC.A/1/get?note=kR7vQ2mZxT9pLw4B&n=1", "SVC.A/1/get?note=" + dots + "&n=1"},
      {"SVC.A/1/get?word=sunshine1", "SVC.A/1/get?word=" + dots},
      {"SVC.A/1/get?note=was%20kR7vQ2mZxT9pLw4B%20here", "SVC.A/1/get?note=" + dots},
      {"SVC.A/1/get?list=[\"kR7vQ2mZxT9pLw4B\"]", "SVC.A/1/get?list=" + dots},
      {"SVC.A/1/kR7vQ2mZxT9pLw4B", "SVC.A/1/" + dots},
      {"SVC.A/1/get?kR7vQ2mZxT9pLw4B", "SVC.A/1/get?" + dots},
      {"GET /sharing/kR7vQ2mZx/a?key=Ab3-dEf7h", "GET /sharing/" + dots + "/a?key=" + dots},
      {"GET /sharing/Ab3%2DdEf7h", "GET /sharing/" + dots},
      // A name that looks like an ID is hidden, and one that reads like a name stays.
      {"SVC.A/1/get?kR7vQ2mZxT9pLw4B=1&b=2", "SVC.A/1/get?" + dots + "=1&b=2"},
      {"SVC.A/1/get?%6bR7vQ2mZxT9pLw4B=1", "SVC.A/1/get?" + dots + "=1"},
      {"SVC.A/1/get?volume1_quota_limit=1", "SVC.A/1/get?volume1_quota_limit=1"},
      {"POST /x #?a=1&b=kR7vQ2mZxT9pLw4B", "POST /x #?a=1&b=" + dots},
  };
  for (const Row& row : rows) {
    CAPTURE(row.key);
    CHECK(guarded_key(row.key) == row.expected);
  }
}

TEST_CASE("own text: a short secret is replaced as a whole word") {
  Scrubber scrubber({});
  static_cast<void>(scrubber.scrub(get(login_path + "&passwd=sunshine1")));
  static_cast<void>(scrubber.scrub(get(login_path + "&passwd=p%20w%22%2F9")));
  CHECK(scrubber.stats().whole_only == 0);
  const std::pair<std::string, std::string> rows[] = {
      {"SVC.A/1/get?note=sunshine1", "SVC.A/1/get?note=<PASSWORD>"},
      {"SVC.A/1/get?sunshine1=1", "SVC.A/1/get?<PASSWORD>=1"},
      {"SVC.A/1/get?sunshine1", "SVC.A/1/get?<PASSWORD>"},
      {"SVC.A/1/sunshine1?a=b", "SVC.A/1/<PASSWORD>?a=b"},
      {"GET /share/sunshine1/file", "GET /share/<PASSWORD>/file"},
      {"GET /share/sunshin%651/file", "GET /share/<PASSWORD>/file"},
      {"GET /share/p%20w%22%2f9/file", "GET /share/<PASSWORD>/file"},
      {"cannot open sunshine1: no such file", "cannot open <PASSWORD>: no such file"},
      {"list=[\"sunshine1\",\"b\"]", "list=[\"<PASSWORD>\",\"b\"]"},
      {"SVC.A/1/get?note=sunshine12&b=xsunshine1", "SVC.A/1/get?note=sunshine12&b=xsunshine1"},
      {"GET /sunshine1.html", "GET /<PASSWORD>.html"},
      {"GET /sunshine12.html", "GET /sunshine12.html"},
  };
  for (const auto& [text, expected] : rows) {
    CAPTURE(text);
    CHECK(scrubber.scrub_text(text) == expected);
  }
}

TEST_CASE("own text: a value is found under the escapes of keys and scopes in every form") {
  for (const std::string& value :
       {sid, std::string("Tr4v/el \"l\\ight\" & fe"), std::string("Qm7&vertex/Lagoon=5% +#<x>")}) {
    Scrubber scrubber({});
    scrubber.teach(value, SecretClass::password);
    for (const tests::SecretForm& form : tests::secret_forms()) {
      CAPTURE(value, form.name);
      std::string planted;
      api::append_escaped(planted, form.make(value));
      // A form in base64 may have bytes of its neighbors.
      constexpr std::size_t neighbors = 12;
      for (const std::string before : {"SVC.A/1/set?a=%25&note=", "SVC.A/1/set?a=%25&n", "GET /x/", "in scope "}) {
        const std::string shown = scrubber.scrub_text(before + planted + "&z=1#body");
        CHECK(shown.starts_with(before));
        CHECK(shown.find("<PASSWORD>") != std::string::npos);
        CHECK(shown.size() < before.size() + std::string("<PASSWORD>&z=1#body").size() + neighbors);
      }
    }
  }
}

}  // namespace tapedeck::scrubbers::test
