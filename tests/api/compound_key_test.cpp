#include "api/request_key.h"

#include <catch2/catch.hpp>

#include "http/message/urlencoded.h"
#include "tests/api/requests.h"

namespace tapedeck::api {

TEST_CASE("compound key: a part has the key that it has in the compound itself") {
  struct Row {
    std::string json;
    std::vector<std::string> secrets;  ///< texts in it that were redacted, as SECRET:1, SECRET:2 …
    std::vector<std::string> expected;
  };
  const std::string head = R"("api":"SVC.X","version":1,"method":"Get")";
  const Row rows[] = {
      {"[{" + head + "}]", {}, {"SVC.X/1/get"}},
      {"[{" + head + R"(,"v":["a", 1],"w":"ALL","t":true,"n":1.0,"z":null,"e":""}])",
       {},
       {R"(SVC.X/1/get?e=&n=1.0&t=true&v=["a","1"]&w=ALL&z=null)"}},
      {"[{" + head + R"(,"l":"a,b","j":"[1]","q":"x \"y\" & z=%3C<b>","u":"\u00e9"}])", {}, {}},
      {"[{" + head +
           R"(,"p":"hunter2"},{"api":"SVC.Y","version":"2","method":"set","id":77777777,"u":"/d?_sid=hunter2"}])",
       {"hunter2", "77777777"},
       {"SVC.X/1/get?p=<SECRET:1>", "SVC.Y/2/set?id=<SECRET:2>&u=/d?_sid%3D<SECRET:1>"}},
      {"[{" + head + R"(,"o":{"b":["hunter2"],"a":{"k":1}}}])", {"hunter2"}, {}},
      // Incomplete calls are left out.
      {R"([{"api":"SVC.X","version":1},{)" + head + "}]", {}, {"SVC.X/1/get"}},
      {"nonsense", {}, {}},
      {"[7]", {}, {}},
      {"[]", {}, {}},
  };
  const KeyPolicy policy = KeyPolicy::current();
  for (const Row& row : rows) {
    CAPTURE(row.json);
    const http::Request request = get("/webapi/entry.cgi?api=SVC.Entry.Request&version=1&method=request&compound=" +
                                      http::percent_encode(row.json));
    std::vector<Hole> holes;
    for (std::size_t i = 0; i < row.secrets.size(); ++i) {
      const std::string& secret = row.secrets[i];
      for (std::size_t at = request.target.find(secret); at != std::string::npos;
           at = request.target.find(secret, at + 1)) {
        holes.push_back({RequestPart::target, {at, secret.size()}, "SECRET:" + std::to_string(i + 1)});
      }
    }
    const auto call = Call::from(request, {}, holes);
    REQUIRE(call);
    std::vector<std::string> own, found;
    for (const Call& part : call->parts().value_or(std::vector<Call>())) {
      if (part.complete()) own.push_back(policy.key(part).text);
    }
    for (const RequestKey& key : part_keys(RequestKey::parse(policy.key(*call).text), policy))
      found.push_back(key.text);
    CHECK(found == own);
    if (!row.expected.empty()) CHECK(found == row.expected);
  }
  CHECK(part_keys(RequestKey::parse("SVC.X/1/get?compound=[]"), policy).empty());
  CHECK(part_keys(RequestKey::parse("GET /f.bin"), policy).empty());
}

}  // namespace tapedeck::api
