// Tests the count of secrets in a recording by class.

#include "proxy/secret_count.h"

#include <catch2/catch.hpp>

namespace tapedeck::proxy {

using scrubbers::SecretClass;
using scrubbers::Whose;

TEST_CASE("secret count: counts a value once across responses") {
  SecretCount count;
  const auto add = [&count](std::uint32_t session, SecretClass secret_class, Whose whose, std::uint32_t owner,
                            std::uint32_t ordinal) {
    scrubbers::InteractionRecord record;
    record.session = session;
    scrubbers::Redaction row;
    row.secret_class = secret_class;
    row.whose = whose;
    row.owner = owner;
    row.ordinal = ordinal;
    record.redactions = {row, row};
    count.add(record);
  };
  CHECK(count.by_class().empty());
  add(1, SecretClass::session_id, Whose::own, 0, 0);
  add(2, SecretClass::session_id, Whose::another, 1, 0);
  add(2, SecretClass::session_id, Whose::own, 0, 0);
  add(1, SecretClass::password, Whose::none, 0, 0);
  add(2, SecretClass::password, Whose::none, 0, 0);
  add(2, SecretClass::password, Whose::none, 0, 1);
  CHECK(count.by_class() ==
        std::map<SecretClass, std::uint64_t>{{SecretClass::session_id, 2}, {SecretClass::password, 2}});
}

}  // namespace tapedeck::proxy
