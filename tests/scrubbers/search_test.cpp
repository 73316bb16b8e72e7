// Tests the search: every value is found from the moment it is added.

#include <catch2/catch.hpp>
#include <random>
#include <set>

#include "scrubbers/redaction/redaction.h"
#include "scrubbers/search/literal_index.h"
#include "scrubbers/search/secret_search.h"

namespace {

using namespace tapedeck::scrubbers;

std::string value_of(std::uint32_t number) { return make_of_shape("40:base64url", std::to_string(number)); }

/// Returns "<value><gap><value in hex>…", with each value twice in two forms.
std::string text_with(const std::vector<std::uint32_t>& numbers) {
  std::string text = "begin ";
  for (const std::uint32_t number : numbers) {
    text += value_of(number) + std::string(number % 5, '.') + " " + encode(value_of(number), {{Form::hex}}) + "\n";
  }
  return text;
}

std::set<std::uint32_t> found_in(const SecretSearch& search, const std::string& text) {
  std::set<std::uint32_t> found;
  std::size_t hits = 0;
  for (const SearchHit& hit : search.search(text)) {
    found.insert(hit.value);
    ++hits;
  }
  // A value that the index contains twice would be counted here.
  return hits == 2 * found.size() ? found : std::set<std::uint32_t>();
}

}  // namespace

TEST_CASE("search: finds each value from the moment it is added, whatever their number") {
  tapedeck::base::SecretArena arena;
  SecretSearch search(arena);
  std::mt19937 random(5);
  constexpr std::uint32_t count = 1200;
  for (std::uint32_t number = 0; number < count; ++number) {
    search.add(number, arena.keep(value_of(number)));
    std::vector<std::uint32_t> asked{number};
    for (int i = 0; i < 4; ++i) asked.push_back(static_cast<std::uint32_t>(random() % (number + 1)));
    const std::set<std::uint32_t> expected(asked.begin(), asked.end());
    asked.assign(expected.begin(), expected.end());
    REQUIRE(found_in(search, text_with(asked)) == expected);
  }
  std::vector<std::uint32_t> all;
  for (std::uint32_t number = 0; number < count; ++number) all.push_back(number);
  const std::string text = text_with(all);
  REQUIRE(found_in(search, text).size() == count);
}

TEST_CASE("search: the index agrees with a simple search for the first and the last literal") {
  std::mt19937 random(11);
  std::vector<std::string> literals;
  constexpr std::size_t count = 3000;
  LiteralIndex index;
  while (literals.size() < count) {
    // Few letters and few lengths produce words that many literals share, and literals within others.
    std::string literal;
    const std::size_t length = LiteralIndex::shortest + random() % 6;
    while (literal.size() < length) literal += "abc"[random() % 3];
    literals.push_back(literal);
  }
  const auto agrees = [&](std::size_t known) {
    std::string text;
    while (text.size() < 300) text += "abcd"[random() % 4];
    std::multiset<std::pair<std::size_t, std::uint32_t>> found, expected;
    index.search(text, [&](std::size_t at, std::uint32_t id) { found.emplace(at, id); });
    for (std::uint32_t id = 0; id < known; ++id) {
      for (std::size_t at = text.find(literals[id]); at != std::string::npos; at = text.find(literals[id], at + 1)) {
        expected.emplace(at, id);
      }
    }
    return found == expected;
  };
  for (std::uint32_t id = 0; id < literals.size(); ++id) {
    index.add(literals[id], id);
    if (id % 50 == 0) REQUIRE(agrees(id + 1));
  }
  for (int round = 0; round < 20; ++round) CHECK(agrees(literals.size()));
}
