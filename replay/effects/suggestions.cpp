#include "replay/effects/suggestions.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "api/json_patch.h"
#include "api/request_key.h"
#include "replay/effects/effect_set.h"
#include "replay/effects/effect_values.h"
#include "replay/language/overlay_text.h"

namespace tapedeck::replay {
namespace {

using nlohmann::ordered_json;
using Line = cassettes::ListedInteraction;

/// The parts of an interaction that a suggestion needs.
struct Seen {
  std::string id;
  std::optional<api::Call> call;
  ordered_json data;
};

std::string pattern_of(const api::Call& call) { return call.name().rest + "/*/" + call.folded_method(); }

std::string pointer_to(const std::string& at, const std::string& member) {
  return at + "/" + api::pointer_token(member);
}

std::string value_text(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Returns the mark of the write's parameter whose value, or one of whose elements, equals `value`. Returns an empty
/// text if there is none.
std::string mark_of(const api::Call& write, const ordered_json& value) {
  if (value.is_structured() || value.is_null()) return {};
  const std::string text = value_text(value);
  if (text.empty()) return {};
  const auto has = [&](const api::Param& param) {
    if (is_same_value(param.value, text)) return true;
    const auto list = ordered_json::parse(param.value, nullptr, false);
    return list.is_array() && std::any_of(list.begin(), list.end(), [&](const auto& one) {
             return !one.is_structured() && value_text(one) == text;
           });
  };
  for (const api::Param& param : write.params()) {
    if (!api::KeyPolicy::current().leaves_out(param.name) && has(param)) return "{{param." + param.name + "}}";
  }
  // The text may combine two parameters as "folder/name".
  const std::size_t slash = text.rfind('/');
  if (!value.is_string() || slash == std::string::npos || slash == 0 || slash + 1 == text.size()) return {};
  const std::string folder = mark_of(write, text.substr(0, slash));
  const std::string name = mark_of(write, text.substr(slash + 1));
  return folder.empty() || name.empty() ? std::string() : folder + "/" + name;
}

/// Returns the members of an object whose values are parameters of the write, as an inline table, or `{ }` without any.
std::string marked_members(const api::Call& write, const ordered_json& object, bool with_rest) {
  std::string text;
  bool has_mark = false;
  for (const auto& [name, value] : object.items()) {
    const std::string mark = value.is_boolean() ? std::string() : mark_of(write, value);
    has_mark = has_mark || !mark.empty();
    if (mark.empty() && (!with_rest || !value.is_boolean())) continue;
    text.append(text.empty() ? " " : ", ").append(toml_key(name)).append(" = ");
    text.append(mark.empty() ? value.dump() : toml_text(mark));
  }
  return has_mark ? "{" + text + " }" : std::string();
}

/// Returns the data of a write's response with marks in place of the write's parameters.
ordered_json with_marks(const api::Call& write, const ordered_json& value) {
  ordered_json marked = value;
  if (value.is_structured()) {
    for (auto& one : marked) one = with_marks(write, one);
  } else if (value.is_string()) {
    const std::string mark = mark_of(write, value);
    if (!mark.empty()) marked = mark;
  }
  return marked;
}

/// Finds values of a write in the difference between two responses to the same read.
class Difference {
 public:
  Difference(const api::Call& write, const api::Call& read) : write_(write), read_(read) {}

  /// Returns the lines of each change, without its `[[effect.change]]`.
  std::vector<std::string> between(const ordered_json& before, const ordered_json& after) {
    if (before.is_object() && after.is_object()) look_at(before, after, "/data", {"data"});
    const std::string in = "in = " + toml_text(pattern_of(read_)) + "\n";
    std::vector<std::string> changes;
    if (has_params_) changes.push_back(in + "merge = \"params\"\n");
    for (const std::string& line : lines_) changes.push_back(in + line);
    return changes;
  }

 private:
  void look_at(const ordered_json& before, const ordered_json& after, const std::string& at,
               const std::vector<std::string>& path) {
    for (const auto& [name, now] : after.items()) {
      const auto old = before.find(name);
      if (old == before.end() || *old == now) continue;
      std::vector<std::string> below = path;
      below.push_back(name);
      if (now.is_object() && old->is_object()) {
        look_at(*old, now, pointer_to(at, name), below);
      } else if (now.is_array() && old->is_array()) {
        compare_lists(*old, now, pointer_to(at, name), count_beside(before, after, at, now.size(), old->size()));
      } else {
        note_value(now, below);
      }
    }
  }

  void note_value(const ordered_json& now, const std::vector<std::string>& path) {
    const auto same_name = write_.value(path.back());
    if (path.size() == 2 && same_name && is_same_value(*same_name, value_text(now))) {
      has_params_ = true;
      return;
    }
    const std::string mark = mark_of(write_, now);
    if (mark.empty()) return;
    std::string merge = toml_text(mark);
    for (auto name = path.rbegin(); name != path.rend(); ++name) merge = "{ " + toml_key(*name) + " = " + merge + " }";
    lines_.push_back("merge = " + merge + "\n");
  }

  /// Returns the pointer to the number beside a list that changed by as much as the list's length.
  static std::string count_beside(const ordered_json& before, const ordered_json& after, const std::string& at,
                                  std::size_t now, std::size_t old) {
    for (const auto& [name, value] : after.items()) {
      const auto earlier = before.find(name);
      if (earlier == before.end() || !value.is_number_integer() || !earlier->is_number_integer()) continue;
      const auto difference = static_cast<std::int64_t>(now) - static_cast<std::int64_t>(old);
      if (value.get<std::int64_t>() - earlier->get<std::int64_t>() == difference && difference != 0) {
        return "count = " + toml_text(pointer_to(at, name)) + "\n";
      }
    }
    return {};
  }

  static const ordered_json* only_in(const ordered_json& list, const ordered_json& other) {
    const auto found = std::find_if(list.begin(), list.end(), [&](const auto& element) {
      return element.is_object() && std::find(other.begin(), other.end(), element) == other.end();
    });
    return found == list.end() ? nullptr : &*found;
  }

  void compare_lists(const ordered_json& before, const ordered_json& after, const std::string& at,
                     const std::string& count) {
    const ordered_json* const added = only_in(after, before);
    const ordered_json* const removed = only_in(before, after);
    std::string lines;
    if (added != nullptr) {
      const std::string set = marked_members(write_, *added, true);
      const std::string like = before.empty() ? "" : "like = 0, ";
      if (!set.empty()) lines += "insert = { at = " + toml_text(at) + ", " + like + "set = " + set + " }\n";
    }
    if (removed != nullptr) {
      const std::string where = marked_members(write_, *removed, false);
      if (!where.empty()) lines += "remove = { from = " + toml_text(at) + ", where = " + where + " }\n";
    }
    if (!lines.empty()) lines_.push_back(where_line(added != nullptr) + lines + count);
  }

  /// Returns the `where` line with the read's parameters that the write has as well.
  [[nodiscard]] std::string where_line(bool inserts) const {
    std::string where;
    for (const api::Param& param : read_.params()) {
      const auto written = write_.value(param.name);
      if (!inserts || !written || api::KeyPolicy::current().leaves_out(param.name)) continue;
      if (!is_same_value(*written, param.value)) continue;
      where.append(where.empty() ? "" : ", ").append(toml_key(param.name)).append(" = ");
      where.append(toml_text("{{param." + param.name + "}}"));
    }
    return where.empty() ? std::string() : "where = { " + where + " }\n";
  }

  const api::Call& write_;
  const api::Call& read_;
  bool has_params_ = false;
  std::vector<std::string> lines_;
};

class Suggestions {
 public:
  explicit Suggestions(const cassettes::CassetteReader& reader) : reader_(reader) {}

  std::vector<std::pair<std::string, std::string>> blocks() {
    std::vector<Line> lines;
    reader_.list([&](const Line& line) {
      if (line.error_code == 0 && line.completeness == api::Completeness::complete) lines.push_back(line);
      return true;
    });
    const auto place = [](const Line& line) { return std::tuple(line.scope, line.take, line.lane, line.ord); };
    std::sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) { return place(a) < place(b); });
    for (auto begin = lines.begin(); begin != lines.end();) {
      const auto end = std::find_if(begin, lines.end(), [&](const Line& line) {
        return std::tie(line.scope, line.take, line.lane) != std::tie(begin->scope, begin->take, begin->lane);
      });
      look_at_lane(std::vector<Line>(begin, end));
      begin = end;
    }
    std::vector<std::pair<std::string, std::string>> blocks;
    for (const std::string& on : order_) {
      const Suggestion& one = found_.at(on);
      std::string text = one.comments + "[[effect]]\non = " + toml_text(on) + "\n" + one.reply;
      for (const std::string& change : one.order) text.append("[[effect.change]]\n").append(change);
      blocks.emplace_back(on, std::move(text));
    }
    return blocks;
  }

 private:
  struct Suggestion {
    std::string comments;
    std::string reply;               ///< the line with the data of the first such write; empty without data
    std::vector<std::string> order;  ///< changes, without duplicates
  };

  /// Compares, for each write, the reads up to the next write with the same reads before it.
  void look_at_lane(const std::vector<Line>& lane) {
    std::unordered_map<std::string, const Line*> before;  ///< the last response to each read before the write
    std::unordered_map<std::string, const Line*> now;
    const Line* write = nullptr;
    for (const Line& line : lane) {
      if (line.effect == api::Effect::write) {
        for (const auto& [key, read] : now) before[key] = read;
        now.clear();
        write = &line;
      } else if (line.effect == api::Effect::read && now.emplace(line.key, &line).second && write != nullptr) {
        const auto earlier = before.find(line.key);
        if (earlier != before.end()) compare(*write, *earlier->second, line);
      }
      if (line.effect == api::Effect::read) now[line.key] = &line;
    }
  }

  [[nodiscard]] Seen seen(const Line& line) const {
    const auto full = reader_.get(line.id);
    if (!full) return {};
    Seen one{line.id, api::Call::from(full->record.request, reader_.info().base_path), {}};
    const auto body = ordered_json::parse(full->record.response.body, nullptr, false);
    if (body.is_object() && body.contains("data")) one.data = body["data"];
    return one;
  }

  void compare(const Line& write_line, const Line& before_line, const Line& after_line) {
    const Seen write = seen(write_line), before = seen(before_line), after = seen(after_line);
    if (!write.call || !after.call || write.call->is_compound() || is_never_changed(after.call->name().rest)) return;
    const std::vector<std::string> changes = Difference(*write.call, *after.call).between(before.data, after.data);
    const std::string on = pattern_of(*write.call);
    for (const std::string& change : changes) {
      Suggestion& one = found_[on];
      if (one.order.empty()) {
        order_.push_back(on);
        if (!write.data.is_null())
          one.reply = "reply = " + toml_text(with_marks(*write.call, write.data).dump()) + "\n";
      }
      if (std::find(one.order.begin(), one.order.end(), change) != one.order.end()) continue;
      one.order.push_back(change);
      one.comments += "# " + write.id + " changed the response to " + toml_text(pattern_of(*after.call)) + " from " +
                      before.id + " to " + after.id + "\n";
    }
  }

  const cassettes::CassetteReader& reader_;
  std::vector<std::string> order_;
  std::map<std::string, Suggestion> found_;  ///< by the member `on`
};

}  // namespace

std::vector<std::pair<std::string, std::string>> suggested_effects(const cassettes::CassetteReader& reader) {
  return Suggestions(reader).blocks();
}

std::string suggested_effects_toml(const cassettes::CassetteReader& reader) {
  std::string text;
  for (const auto& [on, block] : suggested_effects(reader)) text.append(text.empty() ? "" : "\n").append(block);
  return text;
}

}  // namespace tapedeck::replay
