#include "tools/diff/json_diff.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "api/json_patch.h"
#include "base/utf8.h"
#include "tools/diff/noise.h"

namespace tapedeck::tools {

namespace {

using nlohmann::json;

constexpr std::size_t longest_value = 120;

/// Keeps the digits of integers that no integer type can hold.
class ExactNumbers : public nlohmann::detail::json_sax_dom_parser<json> {
 public:
  using json_sax_dom_parser::json_sax_dom_parser;
  bool number_float(double value, const std::string& text) {
    if (text.find_first_of(".eE") != std::string::npos) return json_sax_dom_parser::number_float(value, text);
    json::binary_t digits(std::vector<std::uint8_t>(text.begin(), text.end()));
    return binary(digits);
  }
};

/// Returns JSON on one line, with the digits of exact_json().
std::string text_of(const json& value) {
  if (value.is_binary()) return {value.get_binary().begin(), value.get_binary().end()};
  if (!value.is_structured()) return value.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string text;
  for (const auto& [name, member] : value.items()) {
    text += text.empty() ? "" : ",";
    if (value.is_object()) text += text_of(json(name)) + ":";
    text += text_of(member);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

std::string shown(const json& value) { return shown_value(value, longest_value); }

/// Returns the member that identifies each element of a list. Empty if there is none.
std::string name_member(const json& list) {
  static constexpr std::array<const char*, 8> candidates{"id",  "uuid",   "name",   "path",
                                                         "key", "taskid", "ifname", "pid"};
  for (const char* const candidate : candidates) {
    std::set<std::string> seen;
    const bool names_each = std::all_of(list.begin(), list.end(), [&](const json& element) {
      if (!element.is_object()) return false;
      const auto found = element.find(candidate);
      if (found == element.end() || (!found->is_string() && !found->is_number_integer())) return false;
      return seen.insert(found->dump(-1, ' ', false, json::error_handler_t::replace)).second;
    });
    if (names_each && !list.empty()) return candidate;
  }
  return {};
}

class Comparison {
 public:
  std::vector<Change> run(const json& a, const json& b) {
    compare("", a, b);
    return std::move(changes_);
  }

 private:
  void add(Change::Kind kind, const std::string& path, std::string before, std::string after) {
    changes_.push_back({kind, path, std::move(before), std::move(after), std::nullopt, 1});
  }

  void compare(const std::string& path, const json& a, const json& b) {
    if (a == b && type_name(a) == type_name(b)) return;
    if (type_name(a) != type_name(b)) {
      add(Change::Kind::type, path, type_name(a) + " " + shown(a), type_name(b) + " " + shown(b));
    } else if (a.is_object()) {
      compare_objects(path, a, b);
    } else if (a.is_array()) {
      compare_lists(path, a, b);
    } else {
      add(Change::Kind::value, path, shown(a), shown(b));
    }
  }

  void compare_objects(const std::string& path, const json& a, const json& b) {
    std::vector<std::string> fresh;
    for (const auto& [name, value] : b.items()) {
      if (!a.contains(name)) fresh.push_back(name);
    }
    for (const auto& [name, value] : a.items()) {
      const std::string here = path + "/" + api::pointer_token(name);
      if (const auto other = b.find(name); other != b.end()) {
        compare(here, value, *other);
        continue;
      }
      const json& old = value;
      const auto renamed = std::find_if(fresh.begin(), fresh.end(), [&](const std::string& other) {
        return tells_apart(old) && old == b[other] && type_name(old) == type_name(b[other]);
      });
      if (renamed != fresh.end()) {
        add(Change::Kind::renamed, here, name, *renamed);
        fresh.erase(renamed);
      } else {
        add(Change::Kind::removed, here, shown(value), "");
      }
    }
    for (const std::string& name : fresh)
      add(Change::Kind::added, path + "/" + api::pointer_token(name), "", shown(b[name]));
  }

  void compare_lists(const std::string& path, const json& a, const json& b) {
    const std::string name = name_member(a);
    if (a.size() != b.size()) add(Change::Kind::length, path, std::to_string(a.size()), std::to_string(b.size()));
    if (!name.empty() && name == name_member(b)) return compare_named(path, name, a, b);
    if (is_reordered(a, b)) return add(Change::Kind::order, path, shown(a), shown(b));
    const std::size_t both = std::min(a.size(), b.size());
    for (std::size_t i = 0; i < both; ++i) compare(path + "/" + std::to_string(i), a[i], b[i]);
  }

  static bool is_reordered(const json& a, const json& b) {
    if (a.size() != b.size()) return false;
    std::vector<json> left(a.begin(), a.end()), right(b.begin(), b.end());
    std::sort(left.begin(), left.end());
    std::sort(right.begin(), right.end());
    return left == right;
  }

  void compare_named(const std::string& path, const std::string& name, const json& a, const json& b) {
    const auto place = [&](const json& element) {
      return path + "/" + name + "=" + api::pointer_token(plain(element[name]));
    };
    const auto index_of = [&](const json& list) {
      std::map<json, const json*> elements;
      for (const json& element : list) elements.emplace(element[name], &element);
      return elements;
    };
    const auto in_a = index_of(a), in_b = index_of(b);
    std::vector<const json*> gone, fresh;
    std::vector<json> common_a, common_b;
    for (const json& element : b) {
      in_a.contains(element[name]) ? common_b.push_back(element[name]) : fresh.push_back(&element);
    }
    for (const json& element : a) {
      if (!in_b.contains(element[name])) gone.push_back(&element);
    }
    const bool is_drawn = gone.size() == fresh.size() && has_generated(name, gone) && has_generated(name, fresh);
    auto partner = fresh.begin();
    for (const json& element : a) {
      if (const auto other = in_b.find(element[name]); other != in_b.end()) {
        common_a.push_back(element[name]);
        compare(place(element), element, *other->second);
      } else if (is_drawn) {
        compare(place(element), element, **partner++);
      } else {
        add(Change::Kind::removed, place(element), shown(element), "");
      }
    }
    for (const json* element : fresh) {
      if (!is_drawn) add(Change::Kind::added, place(*element), "", shown(*element));
    }
    if (common_a != common_b) add(Change::Kind::order, path, shown(json(common_a)), shown(json(common_b)));
  }

  /// Returns true if the device generated the name of each element, so that elements are the same by their order.
  static bool has_generated(const std::string& name, const std::vector<const json*>& elements) {
    return std::all_of(elements.begin(), elements.end(),
                       [&](const json* element) { return is_generated_id(name, plain((*element)[name])); });
  }

  static std::string plain(const json& value) { return value.is_string() ? value.get<std::string>() : text_of(value); }

  std::vector<Change> changes_;
};

/// Returns the tokens of a JSON pointer.
std::vector<std::string_view> names_of(std::string_view path) {
  std::vector<std::string_view> names;
  while (path.starts_with('/')) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    names.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return names;
}

bool is_place(std::string_view name) {
  const bool is_number =
      !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  return is_number || name.find('=') != std::string_view::npos;
}

}  // namespace

std::optional<json> exact_json(std::string_view text) {
  if (!api::is_json(text)) return std::nullopt;
  json parsed;
  ExactNumbers reader(parsed, false);
  return json::sax_parse(text, &reader) ? std::optional(std::move(parsed)) : std::nullopt;
}

std::vector<Change> json_changes(const json& a, const json& b) { return Comparison().run(a, b); }

std::string type_name(const json& value) {
  return value.is_number() || value.is_binary() ? "number" : value.type_name();
}

bool tells_apart(const json& value) {
  return !value.is_null() && !value.is_boolean() && value != json("") && value != json(0) &&
         !(value.is_structured() && value.empty());
}

std::string shown_value(const json& value, std::size_t longest) { return base::shortened(text_of(value), longest); }

std::string general_path(std::string_view path) {
  std::string out;
  for (const std::string_view name : names_of(path)) out.append("/").append(is_place(name) ? "*" : name);
  return out;
}

bool is_below(std::string_view path, std::string_view pattern) {
  const auto names = names_of(path), wanted = names_of(pattern);
  if (wanted.size() > names.size()) return false;
  return std::equal(wanted.begin(), wanted.end(), names.begin(),
                    [](std::string_view one, std::string_view name) { return one == "*" || one == name; });
}

std::string_view to_string(Noise noise) {
  static constexpr std::array<std::string_view, noise_classes> names{"clock", "counter", "random", "list order"};
  return names[static_cast<std::size_t>(noise)];
}

std::string_view to_string(Change::Kind kind) {
  static constexpr std::array<std::string_view, 13> names{"added",  "removed", "renamed",    "type",   "value",
                                                          "length", "order",   "error code", "status", "header",
                                                          "body",   "state",   "version"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace tapedeck::tools
