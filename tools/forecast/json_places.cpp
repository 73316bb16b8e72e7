#include "tools/forecast/json_places.h"

#include "api/json_patch.h"

namespace tapedeck::tools {
namespace {

using nlohmann::json;
using Visit = std::function<void(const std::vector<std::string>& place, const json& value)>;

void visit_below(const json& value, const std::vector<std::string>& tokens, std::vector<std::string>& place,
                 const Visit& visit) {
  const auto go = [&](const std::string& token, const json& next) {
    place.push_back(token);
    visit_below(next, tokens, place, visit);
    place.pop_back();
  };
  if (place.size() == tokens.size()) return visit(place, value);
  const std::string& token = tokens[place.size()];
  if (token == any_place && value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) go(std::to_string(i), value[i]);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      if (token == any_place || token == name) go(name, member);
    }
  }
}

}  // namespace

void each_place(const json& value, const std::vector<std::string>& tokens, const Visit& visit) {
  std::vector<std::string> place;
  visit_below(value, tokens, place, visit);
}

std::string pointer_text(const std::vector<std::string>& tokens) {
  std::string text;
  for (const std::string& token : tokens) text.append("/").append(api::pointer_token(token));
  return text;
}

}  // namespace tapedeck::tools
