// Tests contents that a key represents by their hash, compared piece by piece.

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

#include "api/key_text.h"
#include "api/piece_hash.h"
#include "tests/api/requests.h"

namespace tapedeck::api {

TEST_CASE("key: content with holes matches content that differs only in the holes") {
  const auto holes = [](std::string_view text) {
    std::vector<Hole> found;
    for (std::size_t at = text.find('*'); at != text.npos;) {
      const std::size_t end = std::min(text.find_first_not_of('*', at), text.size());
      found.push_back({RequestPart::body, {at, end - at}, "SECRET"});
      at = text.find('*', end);
    }
    return found;
  };
  struct Row {
    std::string_view recorded;  ///< '*' marks redacted bytes
    std::string_view asked;
    bool fits;
  };
  const Row rows[] = {
      {"a**b", "a1b", true},
      {"a**b", "a12345b", true},
      {"a**b", "ab", false},
      {"a**b", "a1c", false},
      {"a**b", "b1b", false},
      {"a**b", "a1bb", true},
      {"**", "x", true},
      {"**", "", false},
      {"**b", "1b", true},
      {"**b", "b", false},
      {"a**", "a1", true},
      {"a**", "a", false},
      {"a*mid*z", "a1mid2z", true},
      {"a*mid*z", "amid1mid2z", true},
      {"a*mid*z", "a1mod2z", false},
      {"a*mid*z", "a1midz", false},
      {"a*mid*z", "a1mid2", false},
      {"a*aa*aa*z", "a1aaaaaaz", true},
      {"a*aa*aa*z", "a1aaaz", false},
      {"*x*x*x*", "1x2x3x4", true},
      {"*x*x*x*", "1x2x3", false},
      {"long head *, long tail", "long head 1, long tail", true},
      {"long head *, long tail", "long head 1", false},
  };
  for (const Row& row : rows) {
    const std::string name = content_name(row.recorded, holes(row.recorded));
    INFO(row.recorded << " as " << name << " against " << row.asked);
    CHECK(fits_content(row.asked, name) == row.fits);
  }
  CHECK_FALSE(fits_content("abc", content_name("abc", {})));
  for (const std::string_view spoilt :
       {"<", "<A", "<A>3", "<A>3.", "<A>3.12", "<A>0.0123456789abcdef", "x<A>", "<A>x"}) {
    CHECK_FALSE(fits_content("abcdef", spoilt));
  }
}

TEST_CASE("key: a piece hash can be moved along a text") {
  std::mt19937 random(4);
  std::string text;
  for (int i = 0; i < 2000; ++i) text += static_cast<char>(random());
  for (const std::size_t length : {1, 2, 3, 17, 64, 999}) {
    PieceHash moving = PieceHash::of(std::string_view(text).substr(0, length));
    const PieceHash::Value weight = PieceHash::weight(length);
    for (std::size_t at = 1; at + length <= text.size(); ++at) {
      moving.slide(text[at - 1], text[at + length - 1], weight);
      REQUIRE(moving.value() == PieceHash::of(std::string_view(text).substr(at, length)).value());
    }
    CHECK(PieceHash::from_hex(moving.to_hex()) == moving.value());
  }
  CHECK(PieceHash::of("made-up").to_hex() == "0df7a809e481f62e");
}

TEST_CASE("key: compares long content with many holes in linear time") {
  std::string recorded, asked;
  std::vector<Hole> holes;
  for (int i = 0; i < 20'000; ++i) {
    recorded += std::string(100, 'a') + std::to_string(i);
    asked += std::string(100, 'a') + std::to_string(i) + std::string(7, 'a');
    holes.push_back({RequestPart::body, {recorded.size(), 3}, "SECRET"});
    recorded += "***";
  }
  CHECK(fits_content(asked, content_name(recorded, holes)));
  CHECK_FALSE(fits_content(asked + "!" + std::string(100, 'a'), content_name(recorded + "!", holes)));
}

}  // namespace tapedeck::api
