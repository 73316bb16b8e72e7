// Tests the details that are kept besides the journal's entries.

#include <catch2/catch.hpp>

#include "journal/journal.h"

namespace tapedeck::journal {
namespace {

using scrubbers::SecretClass;

std::shared_ptr<const KeptRequest> kept_with(std::size_t bytes) {
  auto made = std::make_shared<KeptRequest>();
  made->response_body.text.assign(bytes, 'x');
  return made;
}

}  // namespace

TEST_CASE("journal: removes values from a text in every spelling, the longest first") {
  const std::vector<HiddenValue> values = {{"secret", SecretClass::password},
                                           {"secret-two", SecretClass::session_id},
                                           {"a\"b/c", SecretClass::token},
                                           {"abc", SecretClass::account}};
  const MarkedText hidden = without_values("secret-two secret %61 a\\\"b/c a%22b%2Fc abc secretsecret", values);
  CHECK(hidden.text == "<SESSION_ID> <PASSWORD> %61 <TOKEN> <TOKEN> abc <PASSWORD><PASSWORD>");
  REQUIRE(hidden.marks.size() == 6);
  for (const MarkedText::Mark& mark : hidden.marks) {
    CHECK(hidden.text.substr(mark.offset, mark.length) == "<" + std::string(to_string(mark.secret_class)) + ">");
  }
  CHECK(without_values("", values).text.empty());
  CHECK(without_values("nothing", {}).text == "nothing");
}

TEST_CASE("journal: kept details have a size limit, and the oldest are dropped first") {
  constexpr std::size_t bytes = 1'000;
  Journal journal({100, "", 5 * bytes + 5 * sizeof(KeptRequest) + 900});
  for (int i = 0; i < 20; ++i) journal.add({}, kept_with(bytes));
  CHECK(journal.kept(20) != nullptr);
  CHECK(journal.kept(16) != nullptr);
  CHECK(journal.kept(15) == nullptr);
  CHECK(journal.kept(21) == nullptr);
  CHECK(journal.kept(0) == nullptr);
  journal.add({}, kept_with(100'000));
  CHECK(journal.kept(21) == nullptr);
  CHECK(journal.kept(20) != nullptr);
  journal.add({});
  CHECK(journal.kept(22) == nullptr);
}

TEST_CASE("journal: details are dropped with their entry and kept only on request") {
  Journal journal({3, "", 1u << 20});
  for (int i = 0; i < 5; ++i) journal.add({}, kept_with(10));
  CHECK(journal.kept(2) == nullptr);
  CHECK(journal.kept(3) != nullptr);
  CHECK(journal.keeps());
  Journal other({3, ""});
  other.add({}, kept_with(10));
  CHECK(other.kept(1) == nullptr);
  CHECK_FALSE(other.keeps());
}

}  // namespace tapedeck::journal
