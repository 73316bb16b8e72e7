#include "cassettes/read/drawn_parameters.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/digest.h"
#include "base/text.h"
#include "cassettes/read/generated_value.h"
#include "http/message/urlencoded.h"

namespace tapedeck::cassettes {
namespace {

/// The number of values that are searched for in all responses.
constexpr std::size_t most_searched = 8;
constexpr std::size_t most_keys = 200;
constexpr std::uint32_t most_responses = 200;

/// The values of one parameter of an API.
struct Drawn {
  std::uint64_t requests = 0;
  bool is_drawn = true;    ///< false if a value does not look drawn
  bool has_times = false;  ///< true if a value is a time in decimal
  std::set<std::string> values;
  /// Keys (index of the cassette, scope, text) by the text without the parameter.
  std::map<std::string, std::set<std::tuple<std::size_t, std::string, std::string>>> keys;
};

bool is_decimal(std::string_view value) { return std::all_of(value.begin(), value.end(), base::is_digit); }

std::string without(const api::RequestKey& key, std::string_view name) {
  std::string text = key.version + "/" + key.method + "@" + key.prefix;
  for (std::string_view rest = key.item_text(); const auto item = api::RequestKey::next_item(rest);) {
    if (item->name != name) text.append("&").append(item->name).append("=").append(item->value);
  }
  return text.append("#").append(key.body());
}

void note(std::map<std::pair<std::string, std::string>, Drawn>& all, std::size_t cassette,
          const ListedInteraction& line) {
  const api::RequestKey key = api::RequestKey::parse(line.key);
  constexpr std::size_t longest = 4096;  // each of its parameters is compared with the others
  if (!key.is_call || key.text.size() > longest) return;
  for (std::string_view rest = key.item_text(); const auto item = api::RequestKey::next_item(rest);) {
    Drawn& drawn = all[{key.api.rest, std::string(item->name)}];
    const std::string value = http::percent_decode(item->value, false);
    ++drawn.requests;
    drawn.is_drawn = drawn.is_drawn && !item->has_hole && looks_generated(value, line.started_us);
    if (!drawn.is_drawn) {
      drawn.values.clear();
      drawn.keys.clear();
      continue;
    }
    drawn.has_times = drawn.has_times || (is_decimal(value) && is_time_near(value, line.started_us));
    if (drawn.values.size() < most_searched) drawn.values.insert(value);
    auto& keys = drawn.keys[line.scope + "\n" + without(key, item->name)];
    if (keys.size() < most_keys) keys.emplace(cassette, line.scope, line.key);
  }
}

std::set<std::string> responses_to(const CassetteReader& reader, const std::string& scope, const std::string& key) {
  std::set<std::string> responses;
  std::uint32_t read = 0;
  for (const SequenceInfo& sequence : reader.sequences(key, scope)) {
    for (std::uint32_t i = 0; i < sequence.count && read < most_responses; ++i, ++read) {
      const PlayedAnswer answer = reader.answer(sequence, i);
      responses.insert(std::to_string(answer.status) + base::to_hex(base::sha256(answer.body)));
    }
  }
  return responses;
}

bool are_alike(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::includes(a.begin(), a.end(), b.begin(), b.end()) || std::includes(b.begin(), b.end(), a.begin(), a.end());
}

/// Returns true if no response depends on the parameter.
bool is_without_effect(const Drawn& drawn, const std::vector<const CassetteReader*>& cassettes) {
  bool is_shown = false;
  for (const auto& [rest, keys] : drawn.keys) {
    if (keys.size() < 2) continue;
    is_shown = true;
    std::set<std::string> first;
    for (const auto& [cassette, scope, key] : keys) {
      const std::set<std::string> responses = responses_to(*cassettes[cassette], scope, key);
      if (!are_alike(first, responses)) return false;
      first.insert(responses.begin(), responses.end());
    }
  }
  return is_shown || !drawn.has_times;
}

bool occurs_in_responses(const Drawn& drawn, const std::vector<const CassetteReader*>& cassettes) {
  return std::any_of(drawn.values.begin(), drawn.values.end(), [&](const std::string& value) {
    return std::any_of(cassettes.begin(), cassettes.end(),
                       [&](const CassetteReader* one) { return one->has_response_with(value); });
  });
}

}  // namespace

std::vector<DrawnParameter> drawn_parameters(const std::vector<const CassetteReader*>& cassettes) {
  std::map<std::pair<std::string, std::string>, Drawn> all;
  for (std::size_t i = 0; i < cassettes.size(); ++i) {
    cassettes[i]->list([&](const ListedInteraction& line) {
      note(all, i, line);
      return true;
    });
  }
  std::vector<DrawnParameter> found;
  for (const auto& [name, drawn] : all) {
    if (!drawn.is_drawn || occurs_in_responses(drawn, cassettes) || !is_without_effect(drawn, cassettes)) continue;
    found.push_back({name.first, http::percent_decode(name.second, false), drawn.requests});
  }
  return found;
}

}  // namespace tapedeck::cassettes
