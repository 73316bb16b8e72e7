#pragma once
// Generates recordings for tests of properties that hold for any recording.

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/cassette_fixture.h"

namespace tapedeck::testing {

/// Generates traffic of any kind from a seed.
class Traffic {
 public:
  explicit Traffic(std::uint32_t seed) : random_(seed) {}

  std::vector<Recorded> take(int interactions) {
    std::vector<Recorded> rows;
    for (int i = 0; i < interactions; ++i) {
      const std::string scope = below(3) == 0 ? word() : "";
      Recorded row = one();
      if (!scope.empty()) row = std::move(row).in_scope(scope);
      rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  std::uint32_t below(std::uint32_t limit) { return random_() % limit; }
  std::string bytes(std::uint32_t most) {
    std::string text(below(most), ' ');
    for (char& c : text) c = static_cast<char>(below(256));
    return text;
  }
  std::string word() {
    static const char* const words[] = {"a b", "λ", "#1", "{{x}}", "back\\slash", "100%", "x;y"};
    return words[below(7)];
  }
  std::string json() {
    static const char* const values[] = {"1.0",
                                         "1e400",
                                         "\"{{session.id}}\"",
                                         "\"\\u00e4\\/\"",
                                         "[]",
                                         "{}",
                                         "null",
                                         "[1,[2,{\"a\":\"}\"}]]",
                                         "\"{{{{\"",
                                         "\"\"",
                                         "[ 1, 2]",
                                         "-0",
                                         "\"a\\\\\""};
    std::string out = "{";
    for (std::uint32_t i = 0; i <= below(4); ++i) {
      out += (i == 0 ? "\"" : ",\"") + std::string(1, static_cast<char>('a' + below(4))) + "\":" + values[below(13)];
    }
    return out + "}";
  }
  std::string body() {
    switch (below(8)) {
      case 0:
        return bytes(60);
      case 1:
        return "line one\r\nline two \n\n  three\t{{{ {{{{{ }}" + word();
      case 2:
        return "";
      case 3:
        return R"({"data":)" + json() + R"(,"success":true})" + "\n";
      case 4:
        return R"({"error":{"code":)" + std::to_string(100 + below(20)) + R"(},"success":false})";
      default:
        return R"({"data":)" + json() + R"(,"success":true})";
    }
  }
  std::string sid() { return "sid-Fixture_" + std::to_string(below(3)) + "-0123456789abcdef"; }
  Recorded one() {
    static const char* const methods[] = {"get", "list", "set", "delete"};
    switch (below(8)) {
      case 0:
        return login("ann" + std::to_string(below(2)), sid());
      case 1:
        return record_target("POST", "/files/" + std::to_string(below(3)) + "?x=%00%ff", body()).with_form(bytes(30));
      case 2:
        return record("SVC.Core.A/1/get", body()).with_status(502, "Bad {{Gateway}}").with_header("X-Odd", "a\\b {{c");
      case 3:
        return record("SVC.Core.A/1/get", body()).broken("it was cut");
      case 4:
        return record("SVC.Core.A/1/list", body()).withheld("too long");
      default:
        return record("SVC.Core." + std::string(1, static_cast<char>('A' + below(3))) + "/" +
                          std::to_string(1 + below(2)) + "/" + methods[below(4)] + "?q=" + std::to_string(below(2)),
                      below(3) == 0 ? R"({"data":{"own":")" + sid() + R"("},"success":true})" : body(), sid());
    }
  }

  std::mt19937 random_;
};

}  // namespace tapedeck::testing
