#include "scrubbers/own_text.h"

#include "scrubbers/text/replace.h"

namespace tapedeck::scrubbers {
namespace {

// `name=value` wherever it stands: the name is what is before '=' and looks like one, the value goes on to the next
// separator.
void add_parameters(std::string_view text, const CompiledRules& rules, std::vector<Spot>& spots,
                    std::vector<SecretClass>& classes) {
  constexpr std::string_view separators = "& \t\r\n\"'<>;,)";
  for (std::size_t equals = text.find('='); equals != std::string_view::npos; equals = text.find('=', equals + 1)) {
    std::size_t begin = equals;
    const auto is_name = [](char c) { return c == '_' || c == '-' || (c >= '0' && c <= '9') || (c | 32) >= 'a'; };
    while (begin > 0 && is_name(text[begin - 1]) && text[begin - 1] != '{') --begin;
    const std::size_t end = std::min(text.find_first_of(separators, equals + 1), text.size());
    const std::string_view name = text.substr(begin, equals - begin);
    const auto indices = rules.parameters().find(name);
    const int by_ending = indices.empty() ? rules.name(name, CallContext()) : -1;
    if ((indices.empty() && by_ending < 0) || end == equals + 1) continue;
    const std::size_t rule = indices.empty() ? static_cast<std::size_t>(by_ending) : indices.front();
    if (indices.empty() && rules.is_plain(by_ending, text.substr(equals + 1, end - equals - 1))) continue;
    Spot spot;
    spot.begin = equals + 1;
    spot.end = end;
    spot.value = static_cast<std::uint32_t>(classes.size());
    spot.named = true;
    spots.push_back(std::move(spot));
    classes.push_back(rules.rule(rule).secret_class);
  }
}

}  // namespace

std::string scrub_own_text(std::string_view text, const CompiledRules& rules, const LearnedSecrets& learned) {
  std::vector<Spot> spots;
  std::vector<SecretClass> classes;
  add_parameters(text, rules, spots, classes);
  for (const SearchHit& hit : learned.search().search(text)) {
    Spot spot;
    spot.begin = hit.begin;
    spot.end = hit.end;
    spot.value = static_cast<std::uint32_t>(classes.size());
    spots.push_back(std::move(spot));
    classes.push_back(learned.class_of(hit.value));
  }
  if (spots.empty()) return std::string(text);
  const auto describe = [&](const Spot& spot) {
    Redaction row;
    row.secret_class = classes[spot.value];
    return row;
  };
  return replace(text, Part::response_body, without_overlaps(std::move(spots), {}), {}, describe).text;
}

std::string scrub_scope_name(std::string_view name, const LearnedSecrets& learned) {
  std::vector<Spot> spots;
  for (const SearchHit& hit : learned.search().search(name)) {
    Spot& spot = spots.emplace_back();
    spot.begin = hit.begin;
    spot.end = hit.end;
    spot.value = hit.value;
  }
  std::string text;
  std::size_t at = 0;
  for (const Spot& spot : without_overlaps(std::move(spots), {})) {
    text.append(name.substr(at, spot.begin - at)).append(1, '\1');
    text.append(to_string(learned.class_of(spot.value))).append(1, '\2');
    at = spot.end;
  }
  return text.append(name.substr(at));
}

}  // namespace tapedeck::scrubbers
