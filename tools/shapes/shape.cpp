#include "tools/shapes/shape.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace tapedeck::tools {

namespace {

/// Returns true if the name looks like a fixed member's name, and not like an ID, a path, or a number.
bool is_word(std::string_view name) {
  return !name.empty() && !base::is_digit(name.front()) &&
         std::all_of(name.begin(), name.end(), [](char c) { return base::is_alnum(c) || c == '_' || c == '-'; });
}

}  // namespace

/// Returns the shape of the elements. Adds it if it is missing.
Shape& Shape::item() {
  if (items.empty()) items.emplace_back();
  return items.front();
}

void Shape::add(const nlohmann::json& value) {
  is_null |= value.is_null();
  is_boolean |= value.is_boolean();
  is_integer |= value.is_number_integer();
  is_number |= value.is_number_float();
  is_string |= value.is_string();
  if (value.is_object()) {
    ++objects;
    for (const auto& [name, member] : value.items()) {
      Member& known = members[name];
      known.shape.add(member);
      ++known.count;
    }
  } else if (value.is_array()) {
    ++arrays;
    for (const auto& element : value) item().add(element);
  }
}

void Shape::add(const Shape& other) {
  is_null |= other.is_null;
  is_boolean |= other.is_boolean;
  is_integer |= other.is_integer;
  is_number |= other.is_number;
  is_string |= other.is_string;
  objects += other.objects;
  arrays += other.arrays;
  for (const auto& [name, member] : other.members) {
    Member& known = members[name];
    known.shape.add(member.shape);
    known.count += member.count;
  }
  if (!other.items.empty()) item().add(other.items.front());
}

bool Shape::is_seen() const {
  return is_null || is_boolean || is_integer || is_number || is_string || objects > 0 || arrays > 0;
}

bool Shape::is_map() const {
  return !members.empty() &&
         std::none_of(members.begin(), members.end(), [](const auto& member) { return is_word(member.first); });
}

Shape Shape::map_value() const {
  Shape value;
  for (const auto& [name, member] : members) value.add(member.shape);
  return value;
}

}  // namespace tapedeck::tools
