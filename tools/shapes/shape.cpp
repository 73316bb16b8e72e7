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
  says_map_ |= other.says_map_;
  objects += other.objects;
  arrays += other.arrays;
  for (const auto& [name, member] : other.members) {
    Member& known = members[name];
    known.shape.add(member.shape);
    known.count += member.count;
  }
  if (!other.items.empty()) item().add(other.items.front());
}

/// Returns the shape at a path such as "data.items.*.id" or "data.portal[].id". Adds it if it is missing.
Shape& Shape::place(std::string_view path, bool is_always) {
  Shape* at = this;
  while (!path.empty()) {
    std::string_view name = base::take_until(path, '.');
    const bool is_list = name.ends_with("[]");
    if (is_list) name.remove_suffix(2);
    if (name == "*") at->says_map_ = true;
    Member& member = at->members[std::string(name)];
    if (path.empty() && !is_list && is_always) member.count = at->objects;
    at = &member.shape;
    if (is_list) at = &at->item();
  }
  return *at;
}

void Shape::add(const api::OperationSpec& spec) {
  Shape said;
  said.objects = 1;
  for (const api::FieldSpec& field : spec.fields) {
    const bool is_always = !field.optional && field.deviation != api::Deviation::absent;
    Shape& place = said.place(field.path, is_always);
    place.is_boolean |= field.type == api::FieldType::boolean;
    place.is_string |= field.type == api::FieldType::string || field.deviation == api::Deviation::empty_string;
    place.is_integer |= field.type == api::FieldType::integer;
    place.is_null |= field.deviation == api::Deviation::null;
    if (field.type == api::FieldType::object) place.objects = 1;
    if (field.type == api::FieldType::array) place.arrays = 1;
  }
  add(said);
}

bool Shape::is_seen() const {
  return is_null || is_boolean || is_integer || is_number || is_string || objects > 0 || arrays > 0;
}

bool Shape::is_map() const {
  if (says_map_) return true;
  return !members.empty() &&
         std::none_of(members.begin(), members.end(), [](const auto& member) { return is_word(member.first); });
}

Shape Shape::map_value() const {
  Shape value;
  for (const auto& [name, member] : members) value.add(member.shape);
  return value;
}

}  // namespace tapedeck::tools
